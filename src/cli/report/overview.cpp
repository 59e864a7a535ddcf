// `report` without a question: the findings first, then what stands behind them.
#include <algorithm>
#include <string>
#include <vector>

#include "cli/pages/command_line.h"
#include "cli/pages/stack.h"
#include "cli/report/counts.h"
#include "cli/report/findings.h"
#include "cli/report/guard.h"
#include "cli/report/heading.h"
#include "cli/report/heaps.h"
#include "cli/report/live.h"
#include "cli/report/sizes.h"
#include "cli/report/timeline.h"
#include "cli/report/views.h"

namespace heapledger::cli::report {
namespace {

constexpr size_t kSites = 5;
constexpr size_t kFewSites = 3;
constexpr size_t kParts = 10;
constexpr size_t kFewFrames = 2;
constexpr size_t kChartRows = 8;
constexpr size_t kChartWidth = 120;
constexpr size_t kMaxProcesses = 10;
constexpr size_t kWide = 80;  // room for all columns of a process

struct Found {
  GroupBy by;
  Answer answer;
};

Found ask(Ledgers& ledgers, const Asked& asked, const char* moment, Measure sort, size_t top) {
  Question question;
  question.at = parse_moment(moment);
  question.by = GroupBy::kSite;
  question.sort = sort;
  question.top = top;
  Answer answer =
      asked.raw ? ledgers.ask(question) : ledgers.explain(question, asked.top_or(kParts));
  return {question.by, std::move(answer)};
}

void put_row(Buffer& to, Ledgers& ledgers, GroupBy by, const Row& row, uint64_t amount,
             size_t frames, const Page& page, const std::string& figures) {
  if (by == GroupBy::kPart) return put_part(to, row, amount, frames, page, figures);
  put_owner(to, ledgers, row, frames, page, figures);
}

// Places or parts, without the row that stands for the rest.
std::string groups_text(const Answer& answer, GroupBy by) {
  const bool has_rest = !answer.rows.empty() && answer.rows.back().is_rest;
  return counted(answer.groups - (has_rest ? 1 : 0), by == GroupBy::kPart ? "part" : "place");
}

void put_rest(Buffer& to, const Page& page, const std::string& text) {
  put(to, "  {}\n", page.style.dim("… " + text));
}

void put_peak(Buffer& to, Ledgers& ledgers, const Asked& asked, const Page& page) {
  const auto [by, answer] = ask(ledgers, asked, "peak", Measure::kLiveBytes, asked.top_or(kSites));
  const Figures& totals = answer.totals;
  if (totals.live_bytes == 0) return;
  put_title(to, page,
            fmt::format("at the peak: {} in {}", human_bytes(totals.live_bytes),
                        counted(totals.live_blocks, "block")));
  uint64_t shown = 0;
  for (const Row& row : answer.rows) {
    if (row.all.live_bytes == 0 || row.is_rest) break;
    shown += row.all.live_bytes;
    put_row(to, ledgers, by, row, row.all.live_bytes, asked.frames, page,
            fmt::format("  {:>10} {:>6} {:>16}  ", human_bytes(row.all.live_bytes),
                        percent(row.all.live_bytes, totals.live_bytes),
                        counted(row.all.live_blocks, "block")));
  }
  if (shown < totals.live_bytes) {
    put_rest(to, page,
             fmt::format("{} in other places, {}", human_bytes(totals.live_bytes - shown),
                         percent(totals.live_bytes - shown, totals.live_bytes)));
  }
}

void put_suppressed(Buffer& to, const NeverFreed& found, const Page& page) {
  if (found.uses.empty()) return;
  put(to, "  suppressed: {} in {}\n", human_bytes(found.suppressed.live_bytes),
      counted(found.suppressed.live_blocks, "block"));
  for (const SuppressionUse& use : found.uses) {
    put(to, "  {:>10} {:>16}  leak:{}{}\n", human_bytes(use.bytes), counted(use.blocks, "block"),
        escaped(use.pattern), page.style.dim(use.built_in ? "  (built in)" : ""));
  }
}

void put_never_freed(Buffer& to, Ledgers& ledgers, const Asked& asked, const NeverFreed& found,
                     GroupBy by, const Page& page) {
  const Figures& totals = found.answer.totals;
  if (totals.live_blocks == 0 && found.uses.empty()) return;
  put_title(to, page,
            fmt::format("never freed: {} in {} from {}", human_bytes(totals.live_bytes),
                        counted(totals.live_blocks, "block"), groups_text(found.answer, by)));
  size_t frames = asked.frames_given ? asked.frames : kFewFrames;
  for (const Row& row : found.answer.rows) {
    if (row.is_rest) break;
    put_row(to, ledgers, by, row, row.all.live_bytes, frames, page,
            fmt::format("  {:>10} {:>6} {:>16}  ", human_bytes(row.all.live_bytes),
                        percent(row.all.live_bytes, totals.live_bytes),
                        counted(row.all.live_blocks, "block")));
  }
  put_suppressed(to, found, page);
}

void put_churn(Buffer& to, Ledgers& ledgers, const Asked& asked, const Page& page) {
  const auto [by, answer] =
      ask(ledgers, asked, "end", Measure::kTemporaryCalls, asked.top_or(kFewSites));
  const Figures& totals = answer.totals;
  if (totals.temporary_calls == 0) return;
  put_title(to, page,
            fmt::format("churn: {} ({}) freed at once by the thread that made them",
                        counted(totals.temporary_calls, "call"),
                        percent(totals.temporary_calls, totals.calls)));
  size_t frames = asked.frames_given ? asked.frames : kFewFrames;
  for (const Row& row : answer.rows) {
    if (row.all.temporary_calls == 0 || row.is_rest) break;
    put_row(to, ledgers, by, row, row.all.temporary_calls, frames, page,
            fmt::format("  {:>10} {:>6} {:>9} on avg  ", with_commas(row.all.temporary_calls),
                        percent(row.all.temporary_calls, totals.temporary_calls),
                        human_bytes(row.all.average_size())));
  }
}

// By number of process: less what is suppressed, as in the figure of all.
std::vector<uint64_t> never_freed_by_process(Ledgers& ledgers, const Asked& asked) {
  Question question;
  question.by = GroupBy::kLedger;
  question.only_live = true;
  std::vector<uint64_t> bytes(ledgers.facts().size());
  for (const Row& row : ledgers.never_freed(asked.suppressions, question).answer.rows) {
    bytes[row.ledger] = row.all.live_bytes;
  }
  return bytes;
}

void put_processes(Buffer& to, Ledgers& ledgers, const Asked& asked, const Page& page) {
  std::vector<const LedgerFacts*> all;
  for (const LedgerFacts& ledger : ledgers.facts()) all.push_back(&ledger);
  if (all.size() < 2) return;
  std::stable_sort(all.begin(), all.end(), [](const LedgerFacts* a, const LedgerFacts* b) {
    return a->totals.peak_bytes > b->totals.peak_bytes;
  });
  const std::vector<uint64_t> never_freed = never_freed_by_process(ledgers, asked);
  put_title(to, page, "processes, by their own peak");
  bool wide = !page.cut || page.width >= kWide;
  auto with_calls = [wide](const std::string& calls, const std::string& bytes) {
    return wide ? fmt::format(" {:>12} {:>11}", calls, bytes) : "";
  };
  put(to, "{}\n",
      page.style.dim(fmt::format("  {:>10} {:>11}{} {:>8}  {}", "peak", "never freed",
                                 with_calls("calls", "allocated"), "process", "command")));
  for (size_t i = 0; i < std::min(all.size(), kMaxProcesses); ++i) {
    const LedgerFacts& ledger = *all[i];
    std::string figures = fmt::format(
        "  {:>10} {:>11}{} {:>8}  ", human_bytes(ledger.totals.peak_bytes),
        human_bytes(never_freed[static_cast<size_t>(all[i] - ledgers.facts().data())]),
        with_calls(with_commas(ledger.totals.calls), human_bytes(ledger.totals.bytes)), ledger.pid);
    std::string forked = ledger.origin == format::Origin::kForked ? "  (forked)" : "";
    size_t taken = figures.size() + forked.size();
    std::string command = command_line(ledger);
    if (page.cut && page.width > taken) command = cut_text(command, page.width - taken);
    put(to, "{}{}{}\n", figures, command, forked);
  }
  if (all.size() > kMaxProcesses) {
    put_rest(to, page, fmt::format("and {} more: --by process", all.size() - kMaxProcesses));
  }
}

// What is recorded beside the heap, in any mode.
void put_besides(Buffer& to, Ledgers& ledgers, const Asked& asked, const Page& page) {
  put_damages(to, ledgers, asked.frames, page);
  put_heaps(to, ledgers, asked.top_or(kSites), page);
}

}  // namespace

std::string overview_text(Ledgers& ledgers, const Asked& asked, const Page& page) {
  if (ledgers.overview().only_counts()) {
    Buffer besides;
    put_besides(besides, ledgers, asked, page);
    return counts_text(ledgers, asked, page) + page.finished(besides);
  }
  if (ledgers.overview().is_live()) return live_overview_text(ledgers, asked, page);
  Question leaks;
  leaks.at = parse_moment("end");
  leaks.top = asked.top_or(kFewSites);
  if (!asked.raw) ledgers.explain(leaks, asked.top_or(kFewSites));
  NeverFreed never_freed = ledgers.never_freed(asked.suppressions, leaks);
  Buffer to;
  put_programs(to, ledgers, page);
  put(to, "\n{}\n",
      page.style.bold(wrapped(findings(ledgers, never_freed, asked.raw), page.width)));
  put_totals(to, ledgers, page);
  std::string chart =
      draw_timeline(ledgers.overview(), std::min(page.width, kChartWidth), kChartRows);
  if (!chart.empty()) put(to, "\n{}", chart);
  // What is to be known first, what is to be acted on last: that stays on a terminal.
  put_sizes(to, ledgers.overview(), page);
  const Counts& counts = ledgers.overview().counts;
  if (!counts.empty()) put_counts(to, counts, asked, page);
  put_processes(to, ledgers, asked, page);
  put_besides(to, ledgers, asked, page);
  put_peak(to, ledgers, asked, page);
  put_never_freed(to, ledgers, asked, never_freed, leaks.by, page);
  put_churn(to, ledgers, asked, page);
  put(to, "\n{}\n",
      page.style.dim(wrapped(
          "more: --by owner|part|function, --tree, --bottom-up, --at end, --blocks, --where-rss; "
          "what to change: heapledger advise",
          page.width)));
  return page.finished(to);
}

}  // namespace heapledger::cli::report
