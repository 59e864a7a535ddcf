#include <algorithm>
#include <set>

#include "cli/fleet/show.h"
#include "text/text.h"

namespace heapledger::cli::fleet {
namespace {

constexpr size_t kMostNamed = 8;

std::string amount(uint64_t value, const Question& question) {
  switch (row_of(question.sort).unit) {
    case FigureUnit::kBytes:
      return human_bytes(value);
    case FigureUnit::kNanoseconds:
      return human_duration(value);
    case FigureUnit::kCount:
      break;
  }
  return with_commas(value);
}

std::string holder_text(const Fleet& fleet, const Holder& holder, const Question& question) {
  return fmt::format("{} ({})", escaped(label_of(fleet.processes[holder.process])),
                     amount(holder.value, question));
}

// Those that are far from the median, as far as they are known by name: the most and the least.
std::string outliers_text(const Fleet& fleet, const Statistics& statistics, const Spread& spread,
                          const Question& question) {
  std::string text;
  size_t named = 0;
  for (const std::vector<Holder>* holders : {&statistics.most(), &statistics.least()}) {
    for (const Holder& holder : *holders) {
      const bool far_up = holder.value > spread.median;
      const bool wanted = holders == &statistics.most() ? far_up : !far_up;
      if (!wanted || !is_outlier(spread, holder.value) || named == kMostNamed) continue;
      text += (named++ == 0 ? "" : ", ") + holder_text(fleet, holder, question);
    }
  }
  return text;
}

void put_who(Buffer& to, const Fleet& fleet, const Page& page) {
  std::set<std::string> hosts, jobs;
  bool ranks = false;
  for (uint32_t number : fleet.counted) {
    const Process& process = fleet.processes[number];
    hosts.insert(process.host);
    if (!process.job.empty()) jobs.insert(process.job);
    ranks = ranks || process.rank;
  }
  std::string text = counted(fleet.counted.size(), ranks ? "rank" : "process") + " of " +
                     escaped(fleet.program) + " on " + counted(hosts.size(), "host");
  if (jobs.size() == 1) text += ", job " + escaped(*jobs.begin());
  if (jobs.size() > 1) text += ", " + counted(jobs.size(), "job");
  put(to, "{}\n", page.style.bold(text));
  const size_t others = fleet.processes.size() - fleet.counted.size();
  if (others > 0) put_wrapped(to, page, counted(others, "other process") + " left out", 2);
}

void put_troubles(Buffer& to, const Fleet& fleet, const Page& page) {
  const std::vector<std::string> missing = missing_ranks(fleet);
  std::string list;
  for (const std::string& one : missing) list += (list.empty() ? "" : ", ") + one;
  if (!list.empty()) put_wrapped(to, page, "no ledger of: " + escaped(list), 2);
  size_t told = 0, more = 0;
  auto tell = [&](const std::string& who, const std::string& what) {
    if (told++ < kMostNamed) {
      put_wrapped(to, page, escaped(who) + ": " + escaped(what), 2);
    } else {
      ++more;
    }
  };
  for (const Process& process : fleet.processes) {
    if (process.trouble.empty()) continue;
    tell(process.was_read ? label_of(process) : process.path, process.trouble);
  }
  for (uint32_t number : fleet.counted) {
    const Process& process = fleet.processes[number];
    if (!process.ended && process.trouble.empty()) {
      tell(label_of(process), "killed, or ended without its exit handlers");
    }
  }
  if (more > 0) put(to, "  and {} more\n", more);
}

void put_all(Buffer& to, const Fleet& fleet, const Question& question, const Page& page) {
  const Spread spread = fleet.all.of(fleet.counted.size());
  put(to, "\n");
  std::string text = fmt::format(
      "{}: {} together, {} on average, deviation {}, median {}", row_of(question.sort).title,
      amount(spread.total, question), amount(static_cast<uint64_t>(spread.mean), question),
      amount(static_cast<uint64_t>(spread.deviation), question), amount(spread.median, question));
  if (!fleet.all.most().empty()) {
    text +=
        fmt::format("; from {} to {}, {:.1f}% above the average",
                    holder_text(fleet, fleet.all.least().front(), question),
                    holder_text(fleet, fleet.all.most().front(), question), 100 * spread.imbalance);
  }
  put_wrapped(to, page, text, 0);
  const std::string outliers = outliers_text(fleet, fleet.all, spread, question);
  if (!outliers.empty()) put_wrapped(to, page, "far from the others: " + outliers, 0);
}

}  // namespace

std::string fleet_text(const Fleet& fleet, const Question& question, size_t top, const Page& page) {
  Buffer to;
  put_who(to, fleet, page);
  put_troubles(to, fleet, page);
  put_all(to, fleet, question, page);
  const size_t shown = std::min(top, fleet.groups.size());
  put_title(
      to, page,
      fmt::format("top {} of {}, by {} of all", shown,
                  counted(fleet.groups.size(), name_of(question.by)), row_of(question.sort).title));
  put(to, "{}\n",
      page.style.dim(fmt::format("  {:>10} {:>10} {:>10} {:>10} {:>7} {:>6}  {}", "all", "mean",
                                 "least", "most", "above", "in", name_of(question.by))));
  for (size_t i = 0; i < shown; ++i) {
    const Group& group = fleet.groups[i];
    const Spread spread = group.statistics.of(fleet.counted.size());
    const std::string figures = fmt::format(
        "  {:>10} {:>10} {:>10} {:>10} {:>6.1f}% {:>6}  ", amount(spread.total, question),
        amount(static_cast<uint64_t>(spread.mean), question), amount(spread.least, question),
        amount(spread.most, question), 100 * spread.imbalance, with_commas(spread.processes));
    const size_t room = page.width > figures.size() + 20 ? page.width - figures.size() : 20;
    put(to, "{}{}\n", figures,
        function_text(page, group.function.empty() ? group.name : group.function, group.file,
                      group.line, room));
    const std::string outliers = outliers_text(fleet, group.statistics, spread, question);
    if (!outliers.empty()) {
      put(to, "{}\n", page.style.dim(fmt::format("{:>{}}{}", "", figures.size(), outliers)));
    }
  }
  return page.finished(to);
}

}  // namespace heapledger::cli::fleet
