#include "cli/report/findings.h"

#include <algorithm>

#include "cli/pages/sampling.h"
#include "settings/settings.h"
#include "text/text.h"

namespace heapledger::cli::report {
namespace {

constexpr size_t kMostNamed = 5;

// Whole percents, as one says them; of little, a digit more.
std::string share(uint64_t part, uint64_t whole) {
  if (whole == 0) return "0%";
  double value = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  bool small = part > 0 && value < 9.95;
  if (part > 0 && value < 0.05) return "under 0.1%";
  if (part < whole && value > 99.5) return "over 99%";
  return fmt::format("{:.{}f}%", value, small ? 1 : 0);
}

std::string never_freed_phrase(const NeverFreed& found) {
  const Figures& left = found.answer.totals;
  std::string but = found.uses.empty() ? "" : " but for what is suppressed";
  if (left.live_blocks == 0) return "all was freed" + but;
  return with_error(human_bytes(left.live_bytes), left.live_bytes, left.live_error) +
         " never freed";
}

}  // namespace

// Five places at the most.
std::string sites_phrase(const Answer& answer, GroupBy by) {
  uint64_t sum = 0;
  size_t count = 0;
  uint64_t whole = answer.totals.live_bytes;
  for (const Row& row : answer.rows) {
    if (row.is_rest) break;
    sum += row.all.live_bytes;
    ++count;
    if (sum >= whole - whole / 2 || count == kMostNamed) break;
  }
  const std::string what = by == GroupBy::kPart ? "part" : "place";
  std::string sites = count == 1 ? "one " + what : std::to_string(count) + " " + what + "s";
  if (sum == whole) return "all of it from " + sites;
  return share(sum, whole) + " of it from " + sites;
}

bool is_log(const Overview& overview) {
  constexpr auto kLog = static_cast<uint32_t>(settings::Mode::kLog);
  return overview.sums.calls == 0 &&
         std::any_of(overview.processes.begin(), overview.processes.end(),
                     [](const LedgerFacts& ledger) { return ledger.mode == kLog; });
}

std::string findings(Ledgers& ledgers, const NeverFreed& never_freed, bool raw) {
  const Overview& overview = ledgers.overview();
  if (overview.totals.calls == 0) {
    return is_log(overview) ? "Nothing is in the ledger: the calls are in the log."
                            : "Nothing was allocated.";
  }
  Question question;
  question.top = kMostNamed;
  Answer answer = raw ? ledgers.ask(question) : ledgers.explain(question, kMostNamed);
  const Figures& totals = overview.totals;
  std::string text =
      fmt::format("Peak {} at {}",
                  with_error(human_bytes(totals.peak_bytes), totals.peak_bytes, totals.peak_error),
                  human_duration(overview.peak_time_ns));
  if (answer.totals.live_bytes > 0) text += ", " + sites_phrase(answer, question.by);
  text += "; " + never_freed_phrase(never_freed);
  text += "; " + share(totals.temporary_calls, totals.calls) + " of " +
          with_error(counted(totals.calls, "call"), totals.calls, totals.calls_error) +
          " temporary.";
  return text;
}

void put_totals(Buffer& to, Ledgers& ledgers, const Page& page) {
  const Overview& overview = ledgers.overview();
  const Figures& sums = overview.totals;
  const Totals& totals = overview.sums;
  std::string text =
      fmt::format("{} allocated, {} a call",
                  with_error(human_bytes(totals.bytes), totals.bytes, sums.bytes_error),
                  human_bytes(sums.average_size()));
  if (totals.resizes > 0) {
    text += fmt::format("; {}, which moved {} and copied {}", counted(totals.resizes, "realloc"),
                        counted(sums.moved_blocks, "block"), human_bytes(sums.moved_bytes));
  }
  if (totals.rss_peak_bytes > 0) text += "; RSS peak " + human_bytes(totals.rss_peak_bytes);
  if (totals.inherited_frees > 0) {
    text += "; " + counted(totals.inherited_frees, "free") + " of blocks inherited over fork";
  }
  if (totals.unmatched_frees > 0) {
    text += "; " + counted(totals.unmatched_frees, "free") + " of blocks from before the ledger";
  }
  put(to, "{}.\n", wrapped(text, page.width - 1));
  std::string calls = "By function:";
  for (format::Function function : format::kListedFunctions) {
    uint64_t count = overview.by_function[static_cast<size_t>(function)];
    if (count == 0) continue;
    calls += fmt::format("{} {} {}", calls.ends_with(':') ? "" : ",", format::name_of(function),
                         with_commas(count));
  }
  if (!calls.ends_with(':')) put(to, "{}.\n", wrapped(calls, page.width - 1));
}

}  // namespace heapledger::cli::report
