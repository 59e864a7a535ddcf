#include "cli/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/report_warnings.h"

namespace heapledger {
namespace {

constexpr size_t kMaxNamed = 3;

std::string folder_of(const std::string& path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, std::max<size_t>(slash, 1));
}

// Few ledgers by name; many by the folders they are in.
std::string places(const Analysis& analysis) {
  std::string text;
  if (analysis.ledgers.size() <= kMaxNamed) {
    for (const LedgerFacts& ledger : analysis.ledgers) {
      text += (text.empty() ? "" : " ") + shell_word(short_path(ledger.path));
    }
    return text;
  }
  std::set<std::string> folders;
  for (const LedgerFacts& ledger : analysis.ledgers) {
    folders.insert(folder_of(short_path(ledger.path)));
  }
  for (const std::string& folder : folders) text += (text.empty() ? "" : " ") + shell_word(folder);
  return text;
}

std::string line(const char* name, const std::string& value) {
  return fmt::format("  {:<13}{}\n", name, value);
}

}  // namespace

std::string run_summary(const Analysis& analysis, const Style& style) {
  const Totals& totals = analysis.totals;
  uint64_t threads = 0;
  for (const LedgerFacts& ledger : analysis.ledgers) threads += ledger.threads.size();
  std::string where = places(analysis);
  std::string text = style.bold("heapledger: " + counted(totals.calls, "call") + ", " +
                                human_bytes(totals.bytes) + " allocated") +
                     "\n";
  text +=
      line("peak", human_bytes(totals.peak_bytes) + " in " + counted(totals.peak_blocks, "block") +
                       ", " + human_duration(totals.peak_time_ns) + " after the start");
  text += line("never freed",
               human_bytes(totals.end_bytes) + " in " + counted(totals.end_blocks, "block"));
  text += line("temporary", counted(totals.temporary_calls, "call") + " (" +
                                percent(totals.temporary_calls, totals.calls) +
                                ") freed at once by the same thread");
  text += line("recorded", counted(analysis.ledgers.size(), "process") + ", " +
                               counted(threads, "thread") + ", in " + where);
  text += line("next", "heapledger report " + where);
  return text;
}

void print_run_summary(std::FILE* to, const Analysis& analysis) {
  Style style = Style::for_stream(fileno(to));
  std::string text = run_summary(analysis, style);
  for (const std::string& warning : warnings(analysis)) {
    text += style.warning("warning:") + " " + warning + "\n";
  }
  std::fwrite(text.data(), 1, text.size(), to);
  std::fflush(to);
}

}  // namespace heapledger
