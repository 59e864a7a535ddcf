#include "cli/report/live.h"

#include <algorithm>

#include "analyzer/own_threads.h"
#include "cli/pages/sampling.h"
#include "cli/pages/stack.h"
#include "cli/report/findings.h"
#include "cli/report/guard.h"
#include "cli/report/heading.h"
#include "cli/report/heaps.h"
#include "cli/report/sizes.h"
#include "text/text.h"

namespace heapledger::cli::report {
namespace {

constexpr size_t kLiveSites = 10;

constexpr const char* kNotKnown =
    "A live heap tells what is there now. Nobody knows its peak, how long blocks lived, or which "
    "were freed at once; calls that are not live any more are in the sums of their sites alone.";

std::string live_phrase(const Figures& totals) {
  return with_error(human_bytes(totals.live_bytes), totals.live_bytes, totals.live_error) + " in " +
         counted(totals.live_blocks, "block");
}

// The sums of sites, where the heap has them.
std::string sums_phrase(const Totals& totals) {
  if (totals.calls <= totals.end_blocks) return "";
  return fmt::format("{} allocated in {} since the start; {} freed again",
                     human_bytes(totals.bytes), counted(totals.calls, "call"),
                     human_bytes(totals.bytes - totals.end_bytes));
}

void put_facts(Buffer& to, const Totals& totals, const Page& page) {
  std::string text = sums_phrase(totals);
  if (totals.rss_peak_bytes > 0) {
    text += (text.empty() ? "" : "; ") + human_bytes(totals.rss_peak_bytes) + " resident";
  }
  if (!text.empty()) put(to, "{}.\n", wrapped(text, page.width - 1));
  put(to, "{}\n", page.style.dim(wrapped(kNotKnown, page.width)));
}

void put_sites(Buffer& to, Ledgers& ledgers, const Asked& asked, const Answer& answer,
               const Page& page) {
  const uint64_t whole = answer.totals.live_bytes;
  put_title(to, page, "live: " + live_phrase(answer.totals));
  uint64_t shown = 0;
  for (const Row& row : answer.rows) {
    if (row.all.live_blocks == 0) break;
    shown += row.all.live_bytes;
    put_owner(
        to, ledgers, row, asked.frames, page,
        fmt::format("  {:>10} {:>6} {:>16}  ", human_bytes(row.all.live_bytes),
                    percent(row.all.live_bytes, whole), counted(row.all.live_blocks, "block")));
  }
  if (shown < whole) {
    put(to, "  {}\n",
        page.style.dim(fmt::format("… {} in other places, {}", human_bytes(whole - shown),
                                   percent(whole - shown, whole))));
  }
}

void put_threads(Buffer& to, Ledgers& ledgers, const Page& page) {
  Question question;
  question.by = GroupBy::kThread;
  question.top = kLiveSites;
  Answer answer = ledgers.ask(question);
  if (answer.groups < 2) return;
  size_t own = 0;
  size_t all = 0;
  for (const LedgerFacts& heap : ledgers.facts()) {
    own += own_threads(heap);
    all += heap.threads.size();
  }
  put_title(to, page,
            own == all ? counted(answer.groups, "thread")
                       : "by thread, those of before the fork as well");
  for (const Row& row : answer.rows) {
    put(to, "  {:>10} {:>6} {:>16}  {}\n", human_bytes(row.all.live_bytes),
        percent(row.all.live_bytes, answer.totals.live_bytes),
        counted(row.all.live_blocks, "block"), escaped(row.name));
  }
}

}  // namespace

std::string live_heap_text(const std::vector<LedgerFacts>& heaps) {
  size_t threads = 0;
  for (const LedgerFacts& heap : heaps) threads += own_threads(heap);
  const LedgerFacts& first = heaps.front();
  std::string text = heaps.size() > 1 ? counted(heaps.size(), "live heap")
                     : first.pid != 0 ? fmt::format("live heap of process {}", first.pid)
                                      : "live heap";
  if (heaps.size() == 1 && first.duration_ns > 0) {
    text += fmt::format(", taken {} after the start", human_duration(first.duration_ns));
    if (first.start_wall_ns > 0) text += " at " + iso_time(first.start_wall_ns);
  }
  return text + ", " + counted(threads, "thread");
}

std::string live_moment_text(uint64_t time_ns) {
  if (time_ns == 0) return "at the moment of the heap";
  return "at the moment of the heap, " + human_duration(time_ns) + " after the start";
}

Known known_figures(Ledgers& ledgers, const Asked& asked) {
  const Question& question = asked.question;
  if (asked.question.only_live) return Known::kLive;
  if (!all_live(ledgers.facts())) return Known::kAll;
  const Totals& totals = ledgers.overview().sums;
  // Sites have sums; threads and sizes have none.
  bool of_sites = question.tree != TreeShape::kNone || question.by == GroupBy::kSite ||
                  question.by == GroupBy::kFunction || question.by == GroupBy::kFile ||
                  question.by == GroupBy::kLine || question.by == GroupBy::kModule ||
                  question.by == GroupBy::kOwner || question.by == GroupBy::kPart ||
                  question.by == GroupBy::kLedger || question.by == GroupBy::kRank ||
                  question.by == GroupBy::kHost || question.by == GroupBy::kJob;
  bool chosen = question.between || question.filter.on_blocks();
  return of_sites && !chosen && totals.calls > totals.end_blocks ? Known::kSums : Known::kLive;
}

std::string live_overview_text(Ledgers& ledgers, const Asked& asked, const Page& page) {
  Question question;
  question.by = asked.raw ? GroupBy::kSite : GroupBy::kOwner;
  question.top = asked.top_or(kLiveSites);
  Answer answer = ledgers.ask(question);
  Buffer to;
  put_programs(to, ledgers, page);
  std::string found =
      answer.totals.live_blocks == 0
          ? "Nothing is live."
          : "Live: " + live_phrase(answer.totals) + ", " + sites_phrase(answer, question.by) + ".";
  put(to, "\n{}\n", page.style.bold(wrapped(found, page.width)));
  put_facts(to, ledgers.overview().sums, page);
  put_sizes(to, ledgers.overview(), page);
  put_threads(to, ledgers, page);
  put_damages(to, ledgers, asked.frames, page);
  put_heaps(to, ledgers, asked.top_or(kLiveSites), page);
  if (answer.totals.live_blocks > 0) put_sites(to, ledgers, asked, answer, page);
  put(to, "\n{}\n",
      page.style.dim(wrapped("more: --by function, --by thread, --tree, --bottom-up, --blocks, "
                             "--where-rss",
                             page.width)));
  return page.finished(to);
}

std::string live_summary_text(const Overview& overview) {
  return human_bytes(overview.sums.end_bytes) + " in " + counted(overview.sums.end_blocks, "block");
}

}  // namespace heapledger::cli::report
