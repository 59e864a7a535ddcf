#include "cli/replay/options.h"
#include "cli/asking/known_words.h"

#include <algorithm>
#include <sstream>

#include "analyzer/error.h"
#include "cli/pictures/still.h"
#include "cli/shared/options.h"
#include "cli/shared/seconds.h"
#include "text/nearest.h"
#include "text/text.h"

namespace heapledger::cli::replay {
namespace {

constexpr size_t kMostRounds = 1000;
// Without --rounds: so many, and more where they are short.
constexpr size_t kDefaultRounds = 5;
constexpr size_t kMostDefaultRounds = 15;
constexpr const char* kOwn = "true";  // --tune alone, as CLI11 gives it: the program's own

void expect_word(const char* option, const std::string& word,
                 const std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), word) != words.end()) return;
  std::string list;
  for (const std::string& one : words) list += (list.empty() ? "" : ", ") + one;
  throw Error(std::string(option) + " is one of " + list + ", not " + quoted(word) +
                  did_you_mean(word, words),
              ErrorKind::kQuestion);
}

void expect_together(const ReplayOptions& options) {
  const int kinds = (options.check ? 1 : 0) + (options.tune.empty() ? 0 : 1) +
                    (options.record_to.empty() ? 0 : 1);
  if (kinds > 1) {
    throw Error("--check, --tune and --record-to are three things: one at a time",
                ErrorKind::kQuestion);
  }
  if (!options.plot.empty() && kinds > 0) {
    throw Error("--plot draws a comparison: not with --check, --tune or --record-to",
                ErrorKind::kQuestion);
  }
  if (!options.tune.empty() && !options.allocators.empty()) {
    throw Error("--tune=NAME says what is tuned; --allocators is for comparisons",
                ErrorKind::kQuestion);
  }
  if (options.limit && options.tune.empty()) {
    throw Error("--limit is the time for --tune; that of one play is --timeout",
                ErrorKind::kQuestion);
  }
  if (options.rounds && (options.check || !options.record_to.empty())) {
    throw Error("--check and --record-to play once: without --rounds", ErrorKind::kQuestion);
  }
  if (options.process && !options.worst.empty()) {
    throw Error("--process and --worst both choose a ledger: give one of them",
                ErrorKind::kQuestion);
  }
}

void add_choices(Command& command, ReplayOptions& options) {
  add_ledger_files(command, options.files, "A ledger, or a folder with ledgers");
  command.add_option("--process", options.process, "Of several ledgers, that of this process")
      ->type_name("PID");
  command
      .add_option("--worst", options.worst,
                  "Of several ledgers, that with the most: " + listed(worst_words()))
      ->offers(worst_words())
      ->type_name("MEASURE");
  command
      .add_option("--allocators", options.allocators,
                  "Those to compare, with commas between: glibc, jemalloc, tcmalloc, mimalloc, or "
                  "the path of a library (default: all that are installed)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->offers({"glibc", "jemalloc", "tcmalloc", "mimalloc"})
      ->type_name("LIST");
}

void add_ways(Command& command, ReplayOptions& options) {
  command
      .add_option("--rounds", options.rounds,
                  "How often each is played (default: 5, and up to 15 as long as that takes a few "
                  "seconds)")
      ->type_name("N");
  command
      .add_option("--speed", options.speed,
                  "max (default): one call after the other; real: not before its time")
      ->offers({"max", "real"})
      ->type_name("SPEED");
  command
      .add_option("--touch", options.touch,
                  "What is written to new blocks: none, first (their beginning), all (default: a "
                  "byte of each page)")
      ->offers({"none", "first", "all"})
      ->type_name("HOW");
  command.add_option("--threads", options.threads, "as-recorded (default), or 1: all calls in one")
      ->offers({"as-recorded", "1"})
      ->type_name("HOW");
  command
      .add_option("--order", options.order,
                  "dependencies (default): threads wait for blocks of others; strict: for all "
                  "frees before an allocation")
      ->offers({"dependencies", "strict"})
      ->type_name("ORDER");
  command.add_flag("--no-latency", options.no_latency, "Leave out the time of single calls");
  command
      .add_each(
          "--timeout",
          [&options](const std::string& text) { options.timeout = seconds_of("--timeout", text); },
          "After which one play is taken to hang (default: as others took)")
      ->type_name("TIME");
}

}  // namespace

void add_replay_options(Command& command, ReplayOptions& options) {
  add_choices(command, options);
  add_ways(command, options);
  command.add_flag("--check", options.check,
                   "Fill every block and verify it, instead of measuring times");
  command.add_flag("--tune", options.tune,
                   "Try the settings of the program's own allocator, or of others: "
                   "--tune=jemalloc,…");
  command
      .add_each(
          "--limit",
          [&options](const std::string& text) { options.limit = seconds_of("--limit", text); },
          "Time for --tune (default: 2min)")
      ->type_name("TIME");
  command
      .add_option("--record-to", options.record_to,
                  "Play once, recorded: the ledger of the replay itself")
      ->type_name("OUT");
  command.add_option("-o,--plot", options.plot, "Draw it as well: .svg, .png, .pdf")
      ->type_name("OUT");
  command.add_flag("--json", options.json, "Print JSON, with the figures of every round");
}

void check_replay_words(const ReplayOptions& options) {
  expect_word("--speed", options.speed, {"max", "real"});
  expect_word("--touch", options.touch, {"none", "first", "all"});
  expect_word("--threads", options.threads, {"as-recorded", "1"});
  expect_word("--order", options.order, {"dependencies", "strict"});
  if (options.rounds && (*options.rounds < 1 || *options.rounds > kMostRounds)) {
    throw Error("--rounds is from 1 to " + std::to_string(kMostRounds), ErrorKind::kQuestion);
  }
  if (options.limit && !(*options.limit > 0)) {
    throw Error("--limit is more than 0", ErrorKind::kQuestion);
  }
  if (!options.plot.empty() && !pictures::is_still(pictures::ending_of(options.plot))) {
    throw Error("the format follows from the end of the name, and " + quoted(options.plot) +
                    " has none of " + pictures::kStillEndings,
                ErrorKind::kQuestion);
  }
  expect_together(options);
}

BuildOptions build_options(const ReplayOptions& options) {
  BuildOptions build;
  build.one_thread = options.threads == "1";
  build.strict = options.order == "strict";
  return build;
}

CompareOptions compare_options(const ReplayOptions& options) {
  CompareOptions compare;
  compare.rounds = options.rounds.value_or(kDefaultRounds);
  // --tune has a time of its own for its rounds.
  if (!options.rounds && options.tune.empty()) compare.most_rounds = kMostDefaultRounds;
  compare.latencies = !options.no_latency;
  compare.limit_seconds = options.timeout;
  compare.play.real_time = options.speed == "real";
  compare.play.touch = options.touch == "none"    ? player::Touch::kNone
                       : options.touch == "first" ? player::Touch::kFirst
                                                  : player::Touch::kAll;
  return compare;
}

std::vector<std::string> tuned_names(const ReplayOptions& options) {
  std::vector<std::string> names;
  if (options.tune == kOwn) return names;
  std::istringstream list(options.tune);
  for (std::string name; std::getline(list, name, ',');) {
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

}  // namespace heapledger::cli::replay
