#include "cli/run/summary.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "analyzer/own_threads.h"
#include "cli/pages/sampling.h"
#include "cli/pages/unrecorded_text.h"
#include "cli/report/findings.h"
#include "cli/report/live.h"
#include "cli/run/unseen.h"
#include "cli/shared/ledger_paths.h"
#include "cli/shared/warnings.h"

namespace heapledger::cli::run {
namespace {

constexpr size_t kMaxNamed = 3;
constexpr size_t kMaxNameWidth = 60;
constexpr size_t kToChooseFrom = 5;  // lines or parts

std::string folder_of(const std::string& path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, std::max<size_t>(slash, 1));
}

// What to give to `report`: a run's own folder; else few ledgers by name, many by their folders.
std::string names(const Overview& overview) {
  std::set<std::string> all;
  for (const LedgerFacts& ledger : overview.processes) {
    std::string path = short_path(ledger.path);
    std::string folder = folder_of(path);
    const bool by_folder =
        folder.ends_with(kRunFolderEnding) || overview.processes.size() > kMaxNamed;
    all.insert(by_folder ? folder : path);
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

// ", 99.9% from open_session demo.cpp:21"
std::string from(const Owner& owner, uint64_t all) {
  if (owner.amount == 0 || owner.name.empty()) return {};
  std::string text = ", " + percent(owner.amount, all) + (owner.is_part ? " under " : " from ") +
                     cut_text(escaped(owner.name), kMaxNameWidth);
  if (owner.file.empty()) return text;
  text += " " + cut_text(escaped(base_name(owner.file)), kMaxNameWidth);
  return owner.line == 0 ? text : text + ":" + std::to_string(owner.line);
}

Question about_owner(MomentSpec::Kind moment, Measure measure) {
  Question question;
  question.at.kind = moment;
  question.sort = measure;
  question.top = kToChooseFrom;
  return question;
}

Owner first_of(const Answer& answer, GroupBy by, Measure measure) {
  if (answer.rows.empty()) return {};
  const Row& row = answer.rows.front();
  const std::string& name = row.function.empty() ? row.name : row.function;
  const uint64_t amount = value_of(row.all, measure);
  if (by == GroupBy::kPart) return {amount, true, name, {}, 0};
  return {amount, false, name, row.file, row.line};
}

Owner find_owner(Ledgers& ledgers, MomentSpec::Kind moment, Measure measure) {
  Question question = about_owner(moment, measure);
  const Answer answer = ledgers.explain(question, kToChooseFrom);
  return first_of(answer, question.by, measure);
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

// What lies beside a ledger of its name.
std::vector<std::string> companions(const Overview& overview, std::string_view ending) {
  constexpr std::string_view kLedger = ".ledger";
  std::vector<std::string> found;
  for (const LedgerFacts& ledger : overview.processes) {
    std::string path = ledger.path;
    if (path.ends_with(kLedger)) path.resize(path.size() - kLedger.size());
    path += ending;
    if (::access(path.c_str(), F_OK) == 0) found.push_back(std::move(path));
  }
  return found;
}

std::string companion_lines(const Overview& overview) {
  std::string text;
  for (const char* what : {"log", "summary"}) {
    const std::vector<std::string> found = companions(overview, std::string(".") + what);
    if (found.empty()) continue;
    std::string more = found.size() > 1 ? fmt::format(" and {} more", found.size() - 1) : "";
    text += line(what, shell_word(short_path(found.front())) + more);
  }
  return text;
}

}  // namespace

Owners find_owners(Ledgers& ledgers) {
  using Kind = MomentSpec::Kind;
  constexpr Measure kBytes = Measure::kLiveBytes;
  constexpr Measure kCalls = Measure::kTemporaryCalls;
  Question leaks = about_owner(Kind::kEnd, kBytes);
  ledgers.explain(leaks, kToChooseFrom);
  const NeverFreed left = ledgers.never_freed(Suppressions::built_in(), leaks);
  return {find_owner(ledgers, Kind::kPeak, kBytes),
          first_of(left.answer, leaks.by, kBytes),
          find_owner(ledgers, Kind::kEnd, kCalls),
          std::pair(left.answer.totals.live_bytes, left.answer.totals.live_blocks),
          {}};
}

std::string run_summary(const Overview& overview, const Style& style, const Owners& owners,
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
  if (totals.calls == 0)
    return text + processes_lines(overview, threads, unrecorded) + ledger_lines(overview);
  text +=
      line("peak", human_bytes(totals.peak_bytes) + " in " + counted(totals.peak_blocks, "block") +
                       ", " + human_duration(totals.peak_time_ns) + " after the start" +
                       from(owners.peak, totals.peak_bytes));
  const auto [left_bytes, left_blocks] =
      owners.left.value_or(std::pair(totals.end_bytes, totals.end_blocks));
  text += line("never freed", human_bytes(left_bytes) + " in " + counted(left_blocks, "block") +
                                  from(owners.never_freed, left_bytes));
  text += line("temporary", counted(totals.temporary_calls, "call") + " (" +
                                percent(totals.temporary_calls, totals.calls) +
                                ") freed at once by the same thread" +
                                from(owners.temporary, totals.temporary_calls));
  for (const std::string& unseen : owners.unseen) text += line("not seen", unseen);
  if (!sampled.empty()) {
    text += line("sampled", sampled + ": all of this is estimated");
  }
  return text + processes_lines(overview, threads, unrecorded) + ledger_lines(overview);
}

void print_run_summary(std::FILE* to, Ledgers& ledgers,
                       const std::vector<UnrecordedGroup>& unrecorded, bool pools) {
  Style style = Style::for_stream(fileno(to));
  Owners owners = find_owners(ledgers);
  owners.unseen = unseen_texts(ledgers.overview(), pools);
  std::string text = run_summary(ledgers.overview(), style, owners, unrecorded);
  text += companion_lines(ledgers.overview());
  for (const std::string& warning : warnings(ledgers.facts(), ledgers.refusals())) {
    text += style.warning("warning:") + " " + warning + "\n";
  }
  std::fwrite(text.data(), 1, text.size(), to);
  std::fflush(to);
}

}  // namespace heapledger::cli::run
