#include "cli/report_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace heapledger {
namespace {

constexpr size_t kMaxProcesses = 20;
constexpr size_t kMaxCommand = 60;

using Buffer = fmt::memory_buffer;

template <typename... Args>
void put(Buffer& to, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(to), format, std::forward<Args>(args)...);
}

std::string threads_of(const Analysis& analysis) {
  size_t threads = 0;
  for (const LedgerFacts& ledger : analysis.ledgers) threads += ledger.threads.size();
  return counted(threads, "thread");
}

uint64_t entries_of(const Analysis& analysis) {
  uint64_t entries = 0;
  for (const LedgerFacts& ledger : analysis.ledgers) entries += ledger.entries;
  return entries;
}

void put_heading(Buffer& to, const Analysis& analysis, const Style& style) {
  const auto& ledgers = analysis.ledgers;
  auto first = std::min_element(ledgers.begin(), ledgers.end(), [](const auto& a, const auto& b) {
    return a.start_wall_ns < b.start_wall_ns;
  });
  uint64_t end = 0;
  for (const LedgerFacts& ledger : ledgers) {
    end = std::max(end, ledger.start_wall_ns - first->start_wall_ns + ledger.duration_ns);
  }
  if (ledgers.size() == 1) {
    put(to, "{}  (process {})\n", style.bold(command_line(*first)), first->pid);
  } else {
    put(to, "{}\n", style.bold(counted(ledgers.size(), "process")));
  }
  put(to, "from {} on, {}, {}, {}\n\n", iso_time(first->start_wall_ns), human_duration(end),
      threads_of(analysis), counted(entries_of(analysis), "entry"));
}

void put_totals(Buffer& to, const Totals& totals) {
  auto line = [&to](const char* name, const std::string& value, const std::string& remark) {
    std::string text = fmt::format("  {:<12}{:>14}  {}", name, value, remark);
    text.erase(text.find_last_not_of(' ') + 1);
    put(to, "{}\n", text);
  };
  std::string resizes =
      totals.resizes > 0 ? with_commas(totals.resizes) + " of them resized a block" : "";
  line("calls", with_commas(totals.calls), resizes);
  line("allocated", human_bytes(totals.bytes),
       totals.calls > 0 ? human_bytes(totals.bytes / totals.calls) + " a call" : "");
  line("peak", human_bytes(totals.peak_bytes),
       "in " + counted(totals.peak_blocks, "block") + ", " + human_duration(totals.peak_time_ns) +
           " after the start");
  line("never freed", human_bytes(totals.end_bytes), "in " + counted(totals.end_blocks, "block"));
  line("temporary", with_commas(totals.temporary_calls),
       percent(totals.temporary_calls, totals.calls) +
           " of the calls: freed at once by the same thread");
  line("RSS peak", totals.rss_peak_bytes > 0 ? human_bytes(totals.rss_peak_bytes) : "unknown", "");
  if (totals.inherited_frees > 0) {
    line("inherited", with_commas(totals.inherited_frees),
         "frees of blocks that a forked process had from its parent");
  }
  if (totals.unmatched_frees > 0) {
    line("unmatched", with_commas(totals.unmatched_frees),
         "frees of blocks whose allocation is not in the ledger");
  }
}

void put_functions(Buffer& to, const Analysis& analysis) {
  constexpr size_t kLine = 86;
  std::string line = "  by function";
  for (size_t i = 0; i < kFunctionNames.size(); ++i) {
    if (analysis.by_function[i] == 0) continue;
    std::string part =
        fmt::format("  {} {}", kFunctionNames[i], with_commas(analysis.by_function[i]));
    if (line.size() + part.size() > kLine) {
      put(to, "{}\n", line);
      line = std::string(13, ' ');
    }
    line += part;
  }
  put(to, "{}\n", line);
}

void put_processes(Buffer& to, const Analysis& analysis, const Style& style) {
  std::vector<const LedgerFacts*> ledgers;
  for (const LedgerFacts& ledger : analysis.ledgers) ledgers.push_back(&ledger);
  std::stable_sort(ledgers.begin(), ledgers.end(), [](const LedgerFacts* a, const LedgerFacts* b) {
    return a->totals.peak_bytes > b->totals.peak_bytes;
  });
  put(to, "\n{}\n", style.bold("processes, by their own peak"));
  put(to, "  {:>8} {:>12} {:>11} {:>11} {:>11}  {}\n", "process", "calls", "allocated", "peak",
      "never freed", "command");
  size_t shown = std::min(ledgers.size(), kMaxProcesses);
  for (size_t i = 0; i < shown; ++i) {
    const LedgerFacts& ledger = *ledgers[i];
    put(to, "  {:>8} {:>12} {:>11} {:>11} {:>11}  {}{}\n", ledger.pid,
        with_commas(ledger.totals.calls), human_bytes(ledger.totals.bytes),
        human_bytes(ledger.totals.peak_bytes), human_bytes(ledger.totals.end_bytes),
        command_line(ledger), ledger.origin == format::Origin::kForked ? "  (forked)" : "");
  }
  if (shown < ledgers.size()) {
    put(to, "  … and {} more\n", with_commas(ledgers.size() - shown));
  }
}

// The frames outside the first one, up to `limit` frames in all.
void put_callers(Buffer& to, const std::vector<Frame>& stack, size_t limit) {
  constexpr int kColumn = 70;  // below the name of the site
  size_t shown = std::min(stack.size(), limit);
  for (size_t i = 1; i < shown; ++i) put(to, "{:{}}{}\n", "", kColumn, escaped(stack[i].name));
  if (shown > 0 && shown < stack.size()) {
    put(to, "{:{}}… and {} more\n", "", kColumn, stack.size() - shown);
  }
}

void put_sites(Buffer& to, const Analysis& analysis, size_t top, size_t frames,
               const Style& style) {
  size_t shown = std::min(top, analysis.groups.size());
  if (shown == 0) return;
  std::string title =
      shown == analysis.groups.size()
          ? counted(shown, "site")
          : fmt::format("top {} of {}", shown, counted(analysis.groups.size(), "site"));
  put(to, "\n{}\n", style.bold(title + ", by bytes at the peak"));
  put(to, "  {:>10} {:>9} {:>12} {:>10} {:>9} {:>11}  {}\n", "at peak", "blocks", "calls",
      "allocated", "temporary", "never freed", "site");
  for (size_t i = 0; i < shown; ++i) {
    const Group& group = analysis.groups[i];
    std::vector<Frame> stack = analysis.frames(group);
    put(to, "  {:>10} {:>9} {:>12} {:>10} {:>9} {:>11}  {}\n", human_bytes(group.at_peak_bytes),
        with_commas(group.at_peak_blocks), with_commas(group.calls), human_bytes(group.bytes),
        percent(group.temporary_calls, group.calls), human_bytes(group.end_bytes),
        stack.empty() ? "(unknown)" : escaped(stack[0].name));
    put_callers(to, stack, frames);
  }
}

}  // namespace

std::string command_line(const LedgerFacts& ledger) {
  std::string line;
  for (const std::string& argument : ledger.command) {
    if (line.size() > kMaxCommand) break;
    line += (line.empty() ? "" : " ") + shell_word(argument.substr(0, kMaxCommand + 1));
  }
  if (line.empty()) line = ledger.executable.empty() ? "(unknown)" : escaped(ledger.executable);
  return cut_text(line, kMaxCommand);
}

std::string report_text(const Analysis& analysis, size_t top, size_t frames, const Style& style) {
  Buffer to;
  put_heading(to, analysis, style);
  put_totals(to, analysis.totals);
  put_functions(to, analysis);
  if (analysis.ledgers.size() > 1) put_processes(to, analysis, style);
  put_sites(to, analysis, top, frames, style);
  return fmt::to_string(to);
}

}  // namespace heapledger
