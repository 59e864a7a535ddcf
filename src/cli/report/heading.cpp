#include "cli/report/heading.h"

#include <algorithm>
#include <cctype>

#include "analyzer/own_threads.h"
#include "cli/pages/command_line.h"
#include "cli/pages/sampling.h"
#include "cli/pages/unrecorded_text.h"
#include "cli/report/live.h"
#include "text/text.h"

namespace heapledger::cli::report {
namespace {

std::string duration_phrase(Ledgers& ledgers) {
  size_t threads = 0;
  for (const LedgerFacts& ledger : ledgers.processes()) threads += own_threads(ledger);
  return human_duration(ledgers.duration_ns()) + ", " + counted(threads, "thread");
}

}  // namespace

void put_programs(Buffer& to, Ledgers& ledgers, const Page& page) {
  const std::vector<LedgerFacts>& facts = ledgers.processes();
  auto first = std::min_element(facts.begin(), facts.end(), [](const auto& a, const auto& b) {
    return a.start_wall_ns < b.start_wall_ns;
  });
  std::string who =
      facts.size() == 1 ? command_line(*first) : counted(facts.size(), "process") + " together";
  std::string which = facts.size() == 1 ? fmt::format("process {}, ", first->pid) : "";
  std::string when = fmt::format("{}started {}, ran {}", which, iso_time(first->start_wall_ns),
                                 duration_phrase(ledgers));
  if (all_live(facts)) when = live_heap_text(facts);
  put(to, "{}\n{}\n", page.style.bold(who),
      page.style.dim(page.cut ? wrapped(when, page.width) : when));
  if (std::string sampled = sampling_text(facts); !sampled.empty()) {
    std::string text = "estimated from samples, " + sampled + "; ± is the standard error";
    put(to, "{}\n", page.style.dim(page.cut ? wrapped(text, page.width) : text));
  }
  std::vector<UnrecordedGroup> unrecorded;
  for (const LedgerFacts& ledger : facts) add_unrecorded(unrecorded, ledger.unrecorded);
  if (!unrecorded.empty()) {
    std::string text = "what it started could not all be recorded: " + unrecorded_line(unrecorded);
    put(to, "{}\n", page.style.dim(page.cut ? wrapped(text, page.width) : text));
  }
}

std::string moment_text(const MomentSpec& moment, uint64_t time_ns) {
  using Kind = MomentSpec::Kind;
  std::string time = human_duration(time_ns) + " after the start";
  switch (moment.kind) {
    case Kind::kStart:
      return "at the start";
    case Kind::kPeak:
      return "at the peak, " + time;
    case Kind::kRssPeak:
      return "at the peak of the resident memory, " + time;
    case Kind::kEnd:
      return "at the end, " + time;
    case Kind::kMarker:
      return "at marker " + quoted(moment.marker) + ", " + time;
    case Kind::kTime:
    case Kind::kPercent:
      break;
  }
  return time;
}

std::string moment_text(const Question& question, const Answer& answer) {
  if (!question.between) return moment_text(question.at, answer.end_ns);
  auto name = [](const MomentSpec& moment, uint64_t time) {
    bool by_time = moment.kind == MomentSpec::Kind::kTime;
    std::string text = human_duration(time);
    return by_time ? text : printable(to_text(moment)) + " (" + text + ")";
  };
  return "allocated between " + name(question.between->first, answer.begin_ns) + " and " +
         name(question.between->second, answer.end_ns);
}

std::string moment_text(Ledgers& ledgers, const Question& question, const Answer& answer) {
  using Kind = MomentSpec::Kind;
  bool of_heap = question.at.kind == Kind::kPeak || question.at.kind == Kind::kEnd;
  if (of_heap && !question.between && all_live(ledgers.processes())) {
    return live_moment_text(answer.end_ns);
  }
  return moment_text(question, answer);
}

void put_scope(Buffer& to, Ledgers& ledgers, const Asked& asked, const Answer& answer,
               const Page& page) {
  put_programs(to, ledgers, page);
  std::string text = moment_text(ledgers, asked.question, answer);
  if (!asked.filter_text.empty()) text += ", of blocks with " + escaped(asked.filter_text);
  if (!asked.question.below.empty()) text += ", cut below " + escaped(asked.question.below);
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  const Figures& totals = answer.totals;
  if (asked.question.between) {
    text += fmt::format(
        ": {} in {}; {} in {} of it still live at the end of that time.",
        with_error(human_bytes(totals.bytes), totals.bytes, totals.bytes_error),
        with_error(counted(totals.calls, "call"), totals.calls, totals.calls_error),
        with_error(human_bytes(totals.live_bytes), totals.live_bytes, totals.live_error),
        counted(totals.live_blocks, "block"));
  } else {
    text += fmt::format(
        ": {} live in {}.",
        with_error(human_bytes(totals.live_bytes), totals.live_bytes, totals.live_error),
        counted(totals.live_blocks, "block"));
    // Of a live heap only sites know what was there before.
    bool tells_more = totals.calls > totals.live_blocks || !all_live(ledgers.processes());
    if (!asked.question.only_live && tells_more) {
      text +=
          fmt::format(" In the whole run {} in {}.",
                      with_error(human_bytes(totals.bytes), totals.bytes, totals.bytes_error),
                      with_error(counted(totals.calls, "call"), totals.calls, totals.calls_error));
    }
  }
  put(to, "\n{}\n", wrapped(text, page.width));
}

}  // namespace heapledger::cli::report
