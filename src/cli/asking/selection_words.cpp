#include "cli/asking/selection_words.h"

#include <algorithm>
#include <sstream>
#include <string_view>

#include "analyzer/error.h"
#include "cli/asking/known_words.h"
#include "cli/shared/options.h"
#include "format/modes.h"
#include "text/nearest.h"
#include "text/text.h"

namespace heapledger::cli {
namespace {

const std::vector<std::string>& filter_words() {
  static const std::vector<std::string> words = {"size",   "lifetime", "time", "thread", "function",
                                                 "module", "heap",     "rank", "host",   "job"};
  return words;
}

// The first word of a condition that is none: what a filter was probably refused for.
std::string wrong_condition(const std::string& filter) {
  std::stringstream parts(filter);
  std::string part;
  while (std::getline(parts, part, ',')) {
    size_t begin = part.find_first_not_of(' ');
    if (begin == std::string::npos) continue;
    std::string word = part.substr(begin, part.find_first_of("<>=! ", begin) - begin);
    if (std::find(filter_words().begin(), filter_words().end(), word) == filter_words().end()) {
      return word;
    }
  }
  return "";
}

Filter understand_filter(const std::string& text) {
  try {
    return parse_filter(text);
  } catch (const Error& error) {
    refuse_word(error.what(), wrong_condition(text), filter_words());
  }
}

}  // namespace

void add_moment_options(Command& command, SelectionWords& words) {
  Option* at = command
                   .add_option("--at", words.at,
                               "The moment: peak (default), rss-peak, start, end, a time "
                               "(1.5s), a share of the run (50%), a marker")
                   ->offers(moment_words())
                   ->type_name("MOMENT");
  command.add_option("--between", words.between, "What was allocated between two moments")
      ->offers(moment_words())
      ->type_name("MOMENT")
      ->expected(2)
      ->allow_extra_args(false)
      ->excludes(at);
}

void add_filter_option(Command& command, SelectionWords& words) {
  command
      .add_option("--filter", words.filters,
                  "Only such blocks: size>=1k, lifetime<1ms, time=1s..2s, thread=NAME, "
                  "function=NAME, module=NAME, heap=NAME, rank=0,8-15, host=NAME, job=NAME; joined "
                  "by commas; =!NAME leaves out")
      ->type_name("CONDITIONS")
      ->allow_extra_args(false);
}

void add_heap_option(Command& command, std::string& heap, const std::string& help) {
  command.add_option("--heap", heap, help + " than malloc's: mmap, or a pool")->type_name("NAME");
}

void look_at_heap(Ledgers& ledgers, const std::string& heap) {
  Patterns heaps;
  if (!heap.empty()) heaps.in.push_back(heap);
  ledgers.look_at(heaps);
}

[[noreturn]] void refuse_word(const std::string& message, std::string_view word,
                              const std::vector<std::string>& words) {
  throw Error(message + did_you_mean(word, words), ErrorKind::kQuestion);
}

std::string understand_selection(const SelectionWords& words, Question& question) {
  if (!words.at.empty()) question.at = parse_moment(words.at);
  if (words.between.size() == 2) {
    question.between = {parse_moment(words.between[0]), parse_moment(words.between[1])};
  }
  std::string text;
  for (const std::string& filter : words.filters) text += (text.empty() ? "" : ",") + filter;
  question.filter = understand_filter(text);
  return text;
}

namespace {

// A live heap is one moment, by whatever name: what was before, nobody has kept.
void check_moments_of_live(Ledgers& ledgers, const Question& question) {
  auto is_its_own = [](const MomentSpec& moment) {
    return moment.kind == MomentSpec::Kind::kPeak || moment.kind == MomentSpec::Kind::kRssPeak ||
           moment.kind == MomentSpec::Kind::kEnd;
  };
  if (!question.between && is_its_own(question.at)) return;
  for (const LedgerFacts& ledger : ledgers.processes()) {
    if (ledger.mode != format::kModeLive) return;
  }
  throw Error(
      "this is a live heap, which is one moment: it cannot tell of another time. Take two and "
      "compare them: heapledger diff",
      ErrorKind::kQuestion);
}

// A time is one of the run; as it is shown it may be rounded up.
void check_within(Ledgers& ledgers, const MomentSpec& moment) {
  if (moment.kind != MomentSpec::Kind::kTime) return;
  const uint64_t end = ledgers.duration_ns();
  if (moment.time_ns <= end || human_duration(moment.time_ns) == human_duration(end)) return;
  throw Error(human_duration(moment.time_ns) +
                  " is after the end of the recording, which is from 0s to " + human_duration(end),
              ErrorKind::kQuestion);
}

}  // namespace

void check_moments(Ledgers& ledgers, const Question& question) {
  ledgers.look_at(question.filter.heaps);
  check_moments_of_live(ledgers, question);
  auto check = [&ledgers](const MomentSpec& moment) {
    check_within(ledgers, moment);
    try {
      ledgers.time_of(moment);
    } catch (const Error& error) {
      std::vector<std::string> words = moment_words();
      for (const Marker& marker : ledgers.overview().markers) words.push_back(marker.text);
      refuse_word(error.what(), moment.marker, words);
    }
  };
  if (!question.between) return check(question.at);
  check(question.between->first);
  check(question.between->second);
}

void expect_more_than_counts(Ledgers& ledgers) {
  if (!ledgers.overview().only_counts()) return;
  throw Error(ledgers.facts().front().path +
                  ": recorded with mode=count: calls were counted, not entered, so there are no "
                  "sites, blocks or moments to ask about. heapledger report without a question "
                  "shows what was counted",
              ErrorKind::kQuestion);
}

}  // namespace heapledger::cli
