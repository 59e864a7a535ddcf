#include "cli/replay/text.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/pages/command_line.h"
#include "cli/replay/table.h"
#include "replay/compare_choice.h"
#include "replay/figure_text.h"
#include "text/text.h"

namespace heapledger::cli::replay {
namespace {

constexpr size_t kShortCommand = 60;

// What of the ledger is not in the schedule as it was; empty: all is.
std::string left_out(const BuildFacts& built) {
  std::string text;
  auto add = [&text](const char* what, uint64_t count, const char* kind, const char* why) {
    if (count > 0) text += (text.empty() ? "" : "; ") + (what + counted(count, kind)) + why;
  };
  add("left out: ", built.unknown_frees, "free", " of blocks that are older than the ledger");
  add("made allocations: ", built.unknown_resizes, "resize", " of such blocks");
  add("added: ", built.lost_frees, "free", " that the ledger lacks");
  return text;
}

std::string own_cost(const Comparison& comparison, const ReplayView& view) {
  std::string text =
      fmt::format("{} per call of the replay's own", ns_text(comparison.own_ns_per_call));
  if (!view.options.no_latency && comparison.clock_ns > 0) {
    text += fmt::format(" (and {} for the clock, of single calls)", ns_text(comparison.clock_ns));
  }
  return text + ", taken off";
}

std::string ratio_cell(const CandidateFigures& figures, const Ratio& ratio) {
  return figures.is_baseline ? "" : ratio_text(ratio);
}

std::string bytes_text(const Measured& figure) {
  return human_bytes(static_cast<uint64_t>(std::max(figure.median, 0.0)));
}

// 0 stands for "there is none".
TableCell maybe(double value, std::string (*text)(double)) {
  if (value <= 0) return {"-", {}};
  return {text(value), value};
}

Table time_table(const Comparison& comparison, bool latencies) {
  std::vector<TableColumn> columns = {{"in all"}, {"per call"}, {"ratio"}, {"calls/s", true}};
  if (latencies) {
    columns.insert(columns.end(), {{"p50"}, {"p99"}, {"p99.9"}, {"worst"}});
  }
  Table table("Time in malloc", columns);
  for (const CandidateFigures& one : comparison.candidates) {
    if (one.failed) {
      table.add(escaped(one.candidate.name), {{one.failure, {}}});
      continue;
    }
    std::vector<TableCell> cells = {{ns_text(one.time_ns.median), one.time_ns.median},
                                    {ns_text(one.ns_per_call.median), one.ns_per_call.median},
                                    {ratio_cell(one, one.time), {}},
                                    maybe(one.calls_per_second.median, count_text)};
    if (latencies) {
      for (double value : {one.latency.p50, one.latency.p99, one.latency.p999, one.latency.worst}) {
        // What is below the clock's step is all the same.
        cells.push_back({single_call_text(value, comparison.clock_step_ns),
                         std::max(value, comparison.clock_step_ns)});
      }
    }
    table.add(escaped(one.candidate.name), cells);
  }
  return table;
}

Table memory_table(const Comparison& comparison, uint64_t peak_bytes) {
  Table table("Memory", {{"peak RSS"},
                         {"ratio"},
                         {"end RSS"},
                         {"RSS/live peak"},
                         {"end"},
                         {"page faults"},
                         {"system calls"}});
  for (const CandidateFigures& one : comparison.candidates) {
    if (one.failed) continue;
    // A few bytes that are left say nothing about how memory is used.
    const bool some_live = one.end_live_bytes >= peak_bytes / 100;
    TableCell calls{"?", {}};
    if (one.system_calls) {
      calls = {with_commas(one.system_calls->all), static_cast<double>(one.system_calls->all)};
    }
    table.add(escaped(one.candidate.name),
              {{bytes_text(one.peak_rss), one.peak_rss.median},
               {ratio_cell(one, one.peak), {}},
               {bytes_text(one.end_rss), one.end_rss.median},
               maybe(one.fragmentation_at_peak, fragmentation_text),
               maybe(some_live ? one.fragmentation_at_end : 0, fragmentation_text),
               {with_commas(static_cast<uint64_t>(std::max(one.page_faults.median, 0.0))),
                one.page_faults.median},
               calls});
  }
  return table;
}

// What somebody has to know who looks at the figures closely.
std::vector<std::string> remarks(const Comparison& comparison) {
  std::vector<std::string> texts;
  if (comparison.busy_is_cpu) {
    texts.emplace_back(
        "Times are processor time: this kernel does not tell how long threads waited for one.");
  }
  std::string uncounted;
  for (const CandidateFigures& one : comparison.candidates) {
    if (one.failed) continue;
    if (one.emulated > 0) {
      texts.push_back(fmt::format("{} lacks some functions: {} made of others.",
                                  escaped(one.candidate.name), counted(one.emulated, "call")));
    }
    if (!one.system_calls) uncounted = one.why_not_counted;
  }
  if (!uncounted.empty()) texts.push_back("System calls are not counted: " + uncounted + ".");
  return texts;
}

void put_lines(Buffer& to, const Page& page, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) put_wrapped(to, page, line, 0);
}

void put_next(Buffer& to, const Comparison& comparison, const ReplayView& view) {
  std::string command = command_line(view.ledger);
  if (shown_width(command) > kShortCommand || command.ends_with("…")) command = "./program";
  std::vector<std::pair<std::string, std::string>> steps;
  if (const CandidateFigures* best = worth_a_try(comparison)) {
    if (best->candidate.library == "libc") {
      steps.emplace_back("try it", "run the program without preloading another allocator");
    } else {
      steps.emplace_back("try it",
                         "LD_PRELOAD=" + shell_word(best->candidate.library) + " " + command);
    }
  }
  const std::string file = shell_word(short_path(view.ledger.path));
  steps.emplace_back("tune it", "heapledger replay " + file + " --tune");
  for (const auto& [what, how] : steps) put(to, "{:<9}{}\n", what, how);
}

std::string rounds_words(const Comparison& comparison, const ReplayView& view) {
  std::string text = counted(comparison.rounds, "round");
  if (view.options.speed == "real") text += ", in real time";
  if (view.options.touch == "none") text += ", blocks not touched";
  if (view.options.touch == "first") text += ", blocks touched at their beginning";
  return text;
}

}  // namespace

void put_played(Buffer& to, const ReplayView& view, const std::string& how, const Page& page) {
  put(to, "{:<9}{}\n", "played", command_line(view.ledger));
  std::string text =
      fmt::format("{} by {}, {} live at the peak; {}", counted(view.header.calls, "call"),
                  counted(view.header.lanes, "thread"), human_bytes(view.header.peak_bytes), how);
  if (view.options.threads == "1") text += "; all calls in one thread";
  if (view.options.order == "strict") text += "; strictly in order";
  put_wrapped(to, page, text, 9);
  if (std::string not_there = left_out(view.built); !not_there.empty()) {
    put_wrapped(to, page, not_there, 9);
  }
}

const CandidateFigures* worth_a_try(const Comparison& comparison) {
  const auto one = one_to_try(comparison);
  return one ? &comparison.candidates[*one] : nullptr;
}

std::string comparison_text(const Comparison& comparison, const ReplayView& view,
                            const Page& page) {
  Buffer to;
  put(to, "{}\n\n",
      page.style.bold(page.cut ? wrapped(comparison.verdict, page.width) : comparison.verdict));
  put_played(to, view, rounds_words(comparison, view), page);
  put_wrapped(to, page, own_cost(comparison, view), 9);
  put(to, "\n");
  time_table(comparison, !view.options.no_latency).put(to, page);
  put(to, "\n");
  memory_table(comparison, view.header.peak_bytes).put(to, page);
  put(to, "\n");
  if (const auto lines = remarks(comparison); !lines.empty()) {
    put_lines(to, page, lines);
    put(to, "\n");
  }
  for (const CandidateFigures& one : comparison.candidates) {
    if (!one.failed) put_wrapped(to, page, one.verdict, 0);  // its row says all
  }
  put(to, "\n");
  put_next(to, comparison, view);
  return page.finished(to);
}

}  // namespace heapledger::cli::replay
