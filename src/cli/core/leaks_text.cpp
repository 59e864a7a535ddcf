// Leaks as text and as JSON.
#include <algorithm>

#include "analyzer/query/answer_json.h"
#include "cli/core/leaks_parts.h"
#include "cli/pages/json_parts.h"
#include "cli/pages/stack.h"
#include "text/text.h"

namespace heapledger::cli::core {
namespace {

using cores::Reach;

constexpr size_t kFewFrames = 2;

const char* meaning(Reach reach) {
  switch (reach) {
    case Reach::kDefinitelyLost:
      return "nothing points there";
    case Reach::kIndirectlyLost:
      return "only lost blocks point there";
    case Reach::kPossiblyLost:
      return "only pointers into the middle lead there";
    case Reach::kReachable:
      break;
  }
  return "in reach of the program";
}

Figures sum_of(const Leaks& leaks) {
  Figures sum;
  for (const NeverFreed& one : leaks.classes) {
    sum.live_bytes += one.answer.totals.live_bytes + one.suppressed.live_bytes;
    sum.live_blocks += one.answer.totals.live_blocks + one.suppressed.live_blocks;
  }
  return sum;
}

void put_line(Buffer& to, std::string_view name, uint64_t bytes, uint64_t blocks, uint64_t all,
              const std::string& remark) {
  put(to, "  {:<15} {:>10} {:>6} {:>16}{}{}\n", name, human_bytes(bytes), percent(bytes, all),
      counted(blocks, "block"), remark.empty() ? "" : "  ", remark);
}

void put_summary(Buffer& to, const Leaks& leaks, const Page& page) {
  uint64_t all = sum_of(leaks).live_bytes;
  uint64_t suppressed_bytes = 0;
  uint64_t suppressed_blocks = 0;
  for (size_t i = 0; i < cores::kReachClasses; ++i) {
    auto reach = static_cast<Reach>(i);
    const NeverFreed& one = leaks.classes[i];
    put_line(to, name_of(reach), one.answer.totals.live_bytes, one.answer.totals.live_blocks, all,
             page.style.dim(meaning(reach)));
    suppressed_bytes += one.suppressed.live_bytes;
    suppressed_blocks += one.suppressed.live_blocks;
  }
  if (suppressed_blocks > 0) {
    put_line(to, "suppressed", suppressed_bytes, suppressed_blocks, all,
             page.style.dim("lost, and accepted"));
  }
}

void put_class(Buffer& to, Ledgers& ledgers, const Leaks& leaks, Reach reach, const Asked& asked,
               const Page& page) {
  const NeverFreed& found = leaks.classes[static_cast<size_t>(reach)];
  const Figures& totals = found.answer.totals;
  if (totals.live_blocks == 0) return;
  put_title(
      to, page,
      fmt::format("{}: {} in {} from {}", name_of(reach), human_bytes(totals.live_bytes),
                  counted(totals.live_blocks, "block"), counted(found.answer.groups, "site")));
  bool few = reach == Reach::kReachable && !asked.frames_given;
  uint64_t shown = 0;
  for (const Row& row : found.answer.rows) {
    shown += row.all.live_bytes;
    put_stack(to, ledgers, row.site, few ? kFewFrames : asked.frames, page,
              fmt::format("  {:>10} {:>6} {:>16}  ", human_bytes(row.all.live_bytes),
                          percent(row.all.live_bytes, totals.live_bytes),
                          counted(row.all.live_blocks, "block")));
  }
  if (found.answer.rows.size() < found.answer.groups) {
    put(to, "  {}\n",
        page.style.dim(
            fmt::format("… {} in other sites: --top",
                        human_bytes(totals.live_bytes - std::min(shown, totals.live_bytes)))));
  }
}

void put_suppressions(Buffer& to, const Leaks& leaks, const Page& page) {
  for (size_t i = 0; i < cores::kReachClasses; ++i) {
    for (const SuppressionUse& use : leaks.classes[i].uses) {
      put(to, "  {:>10} {:>16}  {}, leak:{}{}\n", human_bytes(use.bytes),
          counted(use.blocks, "block"), name_of(static_cast<Reach>(i)), escaped(use.pattern),
          page.style.dim(use.built_in ? "  (built in)" : ""));
    }
  }
}

Json class_json(Ledgers& ledgers, const Leaks& leaks, Reach reach, const LeaksView& view) {
  const NeverFreed& found = leaks.classes[static_cast<size_t>(reach)];
  Asked live = view.asked;
  live.question.only_live = true;
  live.question.by = GroupBy::kSite;
  Json json;
  json["class"] = name_of(reach);
  put_figures(json, found.answer.totals, true);
  json["groups"] = found.answer.groups;
  json["suppressions"] = suppressions_json(found);
  json["sites"] = Json::array();
  for (const Row& row : found.answer.rows)
    json["sites"].push_back(row_json(ledgers, live.question, row));
  return json;
}

}  // namespace

std::string leaks_text(Ledgers& ledgers, const Leaks& leaks, const LeaksView& view,
                       const Page& page) {
  Page drawn = page;
  drawn.unicode = true;  // until it is clipped
  Buffer to;
  Figures all = sum_of(leaks);
  put(to, "{}\n", drawn.style.bold(wrapped(escaped(leaks.executable), page.width)));
  if (!leaks.source.empty()) put(to, "{}\n", wrapped(printable(leaks.source), page.width));
  put(to, "{} live in {}; {} looked through for pointers{}\n\n", human_bytes(all.live_bytes),
      counted(all.live_blocks, "block"), human_bytes(leaks.found.root_bytes),
      view.running ? "; approximate, as the process went on meanwhile" : "");
  put_summary(to, leaks, drawn);
  for (size_t i = 0; i < cores::kReachClasses; ++i) {
    put_class(to, ledgers, leaks, static_cast<Reach>(i), view.asked, drawn);
  }
  bool any = std::any_of(leaks.classes.begin(), leaks.classes.end(),
                         [](const NeverFreed& one) { return !one.uses.empty(); });
  if (any) {
    put_title(to, drawn, "suppressed");
    put_suppressions(to, leaks, drawn);
  }
  std::string text = drawn.finished(to);
  Buffer whole;
  whole.append(page.cut ? clipped(text, page.width) : text);
  return page.finished(whole);
}

Json leaks_json(Ledgers& ledgers, const Leaks& leaks, const LeaksView& view) {
  Json json;
  json["schema"] = "heapledger.leaks/1";
  json["source"] = as_utf8(leaks.source);
  json["executable"] = as_utf8(leaks.executable);
  json["pid"] = leaks.pid;
  json["approximate"] = view.running || !leaks.found.problems.empty();
  json["has_stacks"] = leaks.has_stacks;
  json["root_bytes"] = leaks.found.root_bytes;
  json["missing_bytes"] = leaks.found.missing_bytes;
  json["problems"] = Json::array();
  for (const std::string& problem : leaks.found.problems) {
    json["problems"].push_back(as_utf8(problem));
  }
  json["classes"] = Json::array();
  for (size_t i = 0; i < cores::kReachClasses; ++i) {
    json["classes"].push_back(class_json(ledgers, leaks, static_cast<Reach>(i), view));
  }
  return json;
}

}  // namespace heapledger::cli::core
