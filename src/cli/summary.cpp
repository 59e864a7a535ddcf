#include "cli/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/report_warnings.h"

namespace heapledger {
namespace {

constexpr size_t kMaxNamed = 3;
constexpr size_t kMaxNameWidth = 60;

std::string folder_of(const std::string& path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, std::max<size_t>(slash, 1));
}

// What to give to `report`: few ledgers by name, many by the folders they are in.
std::string names(const Analysis& analysis) {
  std::set<std::string> all;
  for (const LedgerFacts& ledger : analysis.ledgers) {
    std::string path = short_path(ledger.path);
    all.insert(analysis.ledgers.size() <= kMaxNamed ? path : folder_of(path));
  }
  std::string text;
  for (const std::string& name : all) text += (text.empty() ? "" : " ") + shell_word(name);
  return text;
}

std::string place(const Analysis& analysis) {
  const std::string first = short_path(analysis.ledgers.front().path);
  if (analysis.ledgers.size() == 1) return shell_word(first);
  std::set<std::string> folders;
  for (const LedgerFacts& ledger : analysis.ledgers) {
    folders.insert(folder_of(short_path(ledger.path)));
  }
  std::string text = with_commas(analysis.ledgers.size()) + " in ";
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

std::string run_summary(const Analysis& analysis, const Style& style, const TopSite& top) {
  const Totals& totals = analysis.totals;
  uint64_t threads = 0;
  for (const LedgerFacts& ledger : analysis.ledgers) threads += ledger.threads.size();
  std::string text = style.bold("heapledger: " + counted(totals.calls, "call") + ", " +
                                human_bytes(totals.bytes) + " allocated") +
                     "\n";
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
  text += line("recorded",
               counted(analysis.ledgers.size(), "process") + ", " + counted(threads, "thread"));
  text += line(analysis.ledgers.size() == 1 ? "ledger" : "ledgers", place(analysis));
  text += line("next", "heapledger report " + names(analysis));
  return text;
}

void print_run_summary(std::FILE* to, Ledgers& ledgers) {
  Style style = Style::for_stream(fileno(to));
  const Analysis& analysis = ledgers.analysis();
  std::string text = run_summary(analysis, style, top_site(ledgers));
  for (const std::string& warning : warnings(analysis)) {
    text += style.warning("warning:") + " " + warning + "\n";
  }
  std::fwrite(text.data(), 1, text.size(), to);
  std::fflush(to);
}

}  // namespace heapledger
