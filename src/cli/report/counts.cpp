#include "cli/report/counts.h"

#include <algorithm>
#include <span>

#include "analyzer/error.h"
#include "analyzer/query/classes.h"
#include "cli/report/heading.h"

namespace heapledger::cli::report {
namespace {

std::span<const format::Function> counted_functions() {
  return std::span(format::kListedFunctions).first(format::kHeapFunctions);
}

constexpr size_t kThreads = 5;

void put_heads(Buffer& to, const Page& page, const char* what) {
  put(to, "{}\n",
      page.style.dim(fmt::format("  {:>15} {:>11} {:>15} {:>13}  {}", "calls", "bytes", "frees",
                                 "resizes", what)));
}

void put_row(Buffer& to, const CountRow& row, const std::string& what) {
  put(to, "  {:>15} {:>11} {:>15} {:>13}  {}\n", with_commas(row.calls), human_bytes(row.bytes),
      with_commas(row.frees), with_commas(row.resizes), what);
}

bool is_empty(const CountRow& row) {
  return row.calls == 0 && row.frees == 0 && row.resizes == 0;
}

void put_functions(Buffer& to, const ThreadCounts& counts, const std::string& indent) {
  for (format::Function function : counted_functions()) {
    const CountRow& row = counts.functions[static_cast<size_t>(function)];
    if (!is_empty(row)) put_row(to, row, indent + format::name_of(function));
  }
}

void put_classes(Buffer& to, const ThreadCounts& counts, const Page& page) {
  put_title(to, page, "by size asked for");
  put(to, "{}\n",
      page.style.dim(fmt::format("  {:>15} {:>7} {:>11}  {}", "calls", "", "bytes", "size")));
  for (size_t i = 0; i < counts.classes.size(); ++i) {
    const CountRow& row = counts.classes[i];
    if (row.calls == 0) continue;
    put(to, "  {:>15} {:>7} {:>11}  {}\n", with_commas(row.calls),
        percent(row.calls, counts.all.calls), human_bytes(row.bytes),
        class_text(GroupBy::kSizeClass, least_of_class(i)));
  }
}

std::string thread_text(const ThreadCounts& thread, bool processes) {
  std::string name = thread.name.empty() ? "thread" : escaped(thread.name);
  std::string text = fmt::format("{} ({})", name, thread.tid);
  if (thread.shared) {
    text = "threads that found no table of their own";
  } else if (thread.threads > 1) {
    text += fmt::format(", and {} before it", with_commas(thread.threads - 1));
  }
  return processes ? text + fmt::format(", process {}", thread.pid) : text;
}

void put_threads(Buffer& to, const Counts& counts, const Asked& asked, const Page& page) {
  if (counts.threads.size() < 2) return;
  put_title(to, page, "by thread: " + counted(counts.all.threads, "thread"));
  put_heads(to, page, "thread");
  bool processes = std::any_of(counts.threads.begin(), counts.threads.end(), [&](const auto& one) {
    return one.pid != counts.threads.front().pid;
  });
  size_t shown = std::min(asked.top_or(kThreads), counts.threads.size());
  for (size_t i = 0; i < shown; ++i) {
    const ThreadCounts& thread = counts.threads[i];
    put_row(to, thread.all, thread_text(thread, processes));
    put_functions(to, thread, "  ");
  }
  if (shown < counts.threads.size()) {
    put(to, "  {}\n",
        page.style.dim(fmt::format("… and {} more: --top N", counts.threads.size() - shown)));
  }
}

Json count_row_json(const CountRow& row) {
  return Json{
      {"calls", row.calls}, {"bytes", row.bytes}, {"frees", row.frees}, {"resizes", row.resizes}};
}

void put_tables(Json& json, const ThreadCounts& counts) {
  json.update(count_row_json(counts.all));
  Json& functions = json["functions"] = Json::object();
  for (format::Function function : counted_functions()) {
    functions[format::name_of(function)] =
        count_row_json(counts.functions[static_cast<size_t>(function)]);
  }
  Json& sizes = json["sizes"] = Json::array();
  for (size_t i = 0; i < counts.classes.size(); ++i) {
    const CountRow& row = counts.classes[i];
    if (row.calls == 0) continue;
    sizes.push_back(Json{{"from", least_of_class(i)},
                         {"to", most_of_class(i)},
                         {"calls", row.calls},
                         {"bytes", row.bytes}});
  }
}

}  // namespace

void put_counts(Buffer& to, const Counts& counts, const Asked& asked, const Page& page) {
  put_title(to, page, "counted, by function");
  put_heads(to, page, "function");
  put_functions(to, counts.all, "");
  put_row(to, counts.all.all, "all");
  if (counts.all.all.calls > 0) put_classes(to, counts.all, page);
  put_threads(to, counts, asked, page);
}

std::string counts_text(Ledgers& ledgers, const Asked& asked, const Page& page) {
  const Counts& counts = ledgers.overview().counts;
  const CountRow& all = counts.all.all;
  Buffer to;
  put_programs(to, ledgers, page);
  std::string text =
      fmt::format("Counted: {} for {}, {}, {}.", counted(all.calls, "call"), human_bytes(all.bytes),
                  counted(all.frees, "free"), counted(all.resizes, "resize"));
  const uint64_t rss = ledgers.overview().sums.rss_peak_bytes;
  if (rss > 0) text += fmt::format(" The resident memory was {} at the most.", human_bytes(rss));
  put(to, "\n{}\n", page.style.bold(wrapped(text, page.width)));
  put_counts(to, counts, asked, page);
  put(to, "\n{}\n",
      page.style.dim(wrapped("Count mode keeps no stacks and no blocks: for sites and peaks record "
                             "with --mode trace or --mode sample.",
                             page.width)));
  return page.finished(to);
}

Json counts_json(const Counts& counts) {
  Json json;
  json["recorded_threads"] = counts.all.threads;
  put_tables(json, counts.all);
  Json& threads = json["threads"] = Json::array();
  for (const ThreadCounts& thread : counts.threads) {
    Json one;
    one["pid"] = thread.pid;
    one["tid"] = thread.tid;
    one["name"] = as_utf8(thread.name);
    one["threads"] = thread.threads;
    one["shared"] = thread.shared;
    put_tables(one, thread);
    threads.push_back(std::move(one));
  }
  return json;
}

}  // namespace heapledger::cli::report
