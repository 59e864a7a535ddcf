#include "cli/run/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analyzer/own_threads.h"
#include "cli/pages/sampling.h"
#include "cli/pages/unrecorded_text.h"
#include "cli/report/findings.h"
#include "cli/report/live.h"
#include "cli/shared/warnings.h"

namespace heapledger::cli::run {
namespace {

constexpr size_t kMaxNamed = 3;
constexpr size_t kMaxNameWidth = 60;

std::string folder_of(const std::string& path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, std::max<size_t>(slash, 1));
}

// What to give to `report`: few ledgers by name, many by the folders they are in.
std::string names(const Overview& overview) {
  std::set<std::string> all;
  for (const LedgerFacts& ledger : overview.processes) {
    std::string path = short_path(ledger.path);
    all.insert(overview.processes.size() <= kMaxNamed ? path : folder_of(path));
  }
  std::string text;
  for (const std::string& name : all) text += (text.empty() ? "" : " ") + shell_word(name);
  return text;
}

std::string place(const Overview& overview) {
  const std::string first = short_path(overview.processes.front().path);
  if (overview.processes.size() == 1) return shell_word(first);
  std::set<std::string> folders;
  for (const LedgerFacts& ledger : overview.processes) {
    folders.insert(folder_of(short_path(ledger.path)));
  }
  std::string text = with_commas(overview.processes.size()) + " in ";
  if (folders.size() > 1) return text + counted(folders.size(), "folder");
  return text + (*folders.begin() == "." ? "this folder" : shell_word(*folders.begin()));
}

std::string line(const char* name, const std::string& value) {
  return fmt::format("  {:<13}{}\n", name, value);
}

std::string base_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

std::string where(const NamedFrame& frame) {
  std::string text = cut_text(escaped(frame.name), kMaxNameWidth);
  if (frame.file.empty()) return text;
  text += " at " + cut_text(escaped(base_name(frame.file)), kMaxNameWidth);
  return frame.line == 0 ? text : text + ":" + std::to_string(frame.line);
}

// The rest of the summary of ledgers that have nothing but counts.
std::string counted_lines(const Overview& overview) {
  const ThreadCounts& counts = overview.counts.all;
  std::string text = line(
      "counted", counted(counts.all.frees, "free") + ", " + counted(counts.all.resizes, "resize"));
  if (overview.sums.rss_peak_bytes > 0) {
    text += line("resident", human_bytes(overview.sums.rss_peak_bytes) + " at the most");
  }
  return text;
}

// How many processes there were, and those that are missing.
std::string processes_lines(const Overview& overview, uint64_t threads,
                            const std::vector<UnrecordedGroup>& unrecorded) {
  const std::string processes = counted(overview.processes.size(), "process");
  if (unrecorded.empty()) return line("recorded", processes + ", " + counted(threads, "thread"));
  return line("recorded", processes + ", " + unrecorded_text(unrecorded)) +
         line("threads", with_commas(threads));
}

std::string ledger_lines(const Overview& overview) {
  return line(overview.processes.size() == 1 ? "ledger" : "ledgers", place(overview)) +
         line("next", "heapledger report " + names(overview));
}

}  // namespace

TopSite top_site(Ledgers& ledgers) {
  Question question;
  question.at.kind = MomentSpec::Kind::kPeak;
  question.by = GroupBy::kSite;
  question.top = 1;
  const Answer answer = ledgers.ask(question);
  if (answer.rows.empty() || answer.rows.front().all.live_bytes == 0) return {};
  const Row& row = answer.rows.front();
  return {row.all.live_bytes, ledgers.first_interesting_frame(row.site)};
}

std::string run_summary(const Overview& overview, const Style& style, const TopSite& top,
                        const std::vector<UnrecordedGroup>& unrecorded) {
  const Totals& totals = overview.sums;
  uint64_t threads = 0;
  for (const LedgerFacts& ledger : overview.processes) threads += own_threads(ledger);
  std::string sampled = sampling_text(overview.processes);
  std::string what =
      counted(totals.calls, "call") + ", " + human_bytes(totals.bytes) + " allocated";
  if (report::is_log(overview)) what = "the calls are in the log";
  // Samples of a live heap do not tell how much there was before.
  if (overview.is_live() && !sampled.empty()) what = "a live heap";
  std::string text = style.bold("heapledger: " + what) + "\n";
  if (overview.damages > 0) {
    text += line("damaged", style.warning(counted(overview.damages, "block")) +
                                ": heapledger report shows who did it");
  }
  if (report::is_log(overview)) {
    if (!unrecorded.empty()) text += processes_lines(overview, threads, unrecorded);
    return text + ledger_lines(overview);
  }
  if (overview.only_counts()) {
    return text + counted_lines(overview) +
           processes_lines(overview, overview.counts.all.threads, unrecorded) +
           ledger_lines(overview);
  }
  if (overview.is_live()) {
    text += line("live", report::live_summary_text(overview));
    if (!sampled.empty()) text += line("sampled", sampled + ": all of this is estimated");
    if (!unrecorded.empty()) text += processes_lines(overview, threads, unrecorded);
    return text + ledger_lines(overview);
  }
  text +=
      line("peak", human_bytes(totals.peak_bytes) + " in " + counted(totals.peak_blocks, "block") +
                       ", " + human_duration(totals.peak_time_ns) + " after the start");
  if (top.bytes > 0 && !top.frame.name.empty()) {
    text += line("top site", human_bytes(top.bytes) + " (" + percent(top.bytes, totals.peak_bytes) +
                                 ") of the peak: " + where(top.frame));
  }
  text += line("never freed",
               human_bytes(totals.end_bytes) + " in " + counted(totals.end_blocks, "block"));
  text += line("temporary", counted(totals.temporary_calls, "call") + " (" +
                                percent(totals.temporary_calls, totals.calls) +
                                ") freed at once by the same thread");
  if (!sampled.empty()) {
    text += line("sampled", sampled + ": all of this is estimated");
  }
  return text + processes_lines(overview, threads, unrecorded) + ledger_lines(overview);
}

void print_run_summary(std::FILE* to, Ledgers& ledgers,
                       const std::vector<UnrecordedGroup>& unrecorded) {
  Style style = Style::for_stream(fileno(to));
  std::string text = run_summary(ledgers.overview(), style, top_site(ledgers), unrecorded);
  for (const std::string& warning : warnings(ledgers.facts(), ledgers.refusals())) {
    text += style.warning("warning:") + " " + warning + "\n";
  }
  std::fwrite(text.data(), 1, text.size(), to);
  std::fflush(to);
}

}  // namespace heapledger::cli::run
