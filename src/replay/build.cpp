#include "replay/build.h"

#include <algorithm>
#include <deque>
#include <string>
#include <utility>

#include "analyzer/error.h"
#include "format/modes.h"
#include "replay/builder.h"
#include "text/text.h"

namespace heapledger {
namespace {

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

[[noreturn]] void refuse(const LedgerFacts& facts, const std::string& why) {
  std::string command = shell_words(facts.command);
  if (command.empty()) command = "PROGRAM";
  throw Error(escaped(file_name(facts.path)) + " " + why +
                  ". Record it anew with: heapledger run -- " + command,
              ErrorKind::kData);
}

[[noreturn]] void refuse_nothing(const LedgerFacts& facts, const LeftOut& left_out) {
  throw Error(
      escaped(file_name(facts.path)) + " has nothing to play: the program made no calls of " +
          "malloc that succeeded" +
          (left_out.unknown_frees > 0 ? ", and freed only blocks that are older than the ledger"
                                      : ""),
      ErrorKind::kData);
}

bool has_arenas(const BuildOptions& options) {
  return std::any_of(options.treatments.begin(), options.treatments.end(),
                     [](const auto& one) { return one.second == Treatment::kArena; });
}

}  // namespace

void expect_playable(const LedgerFacts& facts) {
  if (facts.mode == format::kModeLog) {
    refuse(facts, "was recorded in log mode: which block a call was about is not in it");
  }
  if (facts.live || facts.mode == format::kModeLive) {
    refuse(facts, "is the heap of one moment: blocks that were freed are not in it");
  }
  if (facts.sampled || facts.mode == format::kModeSample) {
    refuse(facts, "was recorded in sample mode: single calls are not in it");
  }
  if (!facts.counts.empty()) {
    refuse(facts, "was recorded in count mode: single calls are not in it");
  }
}

std::vector<Schedule> build_schedules(Ledgers& ledgers, uint32_t ledger,
                                      std::span<const BuildOptions> options) {
  const LedgerFacts& facts = ledgers.facts().at(ledger);
  expect_playable(facts);
  LeftOut left_out;
  std::deque<Builder> builders;  // they stay where they are
  auto pass = [&] {
    left_out = ledgers.operations(ledger, [&builders](const Operation& operation) {
      for (Builder& builder : builders) builder.take(operation);
    });
  };
  for (const BuildOptions& one : options) builders.emplace_back(one);
  pass();
  std::deque<Survey> surveys;
  for (const Builder& builder : builders) surveys.push_back(builder.survey());
  builders.clear();
  if (surveys.front().operations == 0) refuse_nothing(facts, left_out);
  // Arenas end with their lanes, and have slots.
  std::vector<size_t> again;
  for (size_t i = 0; i < options.size(); ++i) {
    if (!has_arenas(options[i])) continue;
    again.push_back(i);
    builders.emplace_back(options[i], surveys[i], nullptr);
  }
  if (!again.empty()) pass();
  for (size_t i = 0; i < again.size(); ++i) {
    Survey survey = builders[i].survey();
    if (survey.operations != surveys[again[i]].operations) Builder::refuse_change();
    surveys[again[i]] = std::move(survey);
  }
  builders.clear();
  std::deque<ScheduleFile> files;
  for (size_t i = 0; i < options.size(); ++i) {
    const Survey& survey = surveys[i];
    files.emplace_back(static_cast<uint32_t>(survey.lanes.size()),
                       static_cast<uint32_t>(survey.phase_ends().size()));
    builders.emplace_back(options[i], survey, &files.back());
  }
  pass();
  std::vector<Schedule> schedules(options.size());
  for (size_t i = 0; i < options.size(); ++i) {
    builders[i].finish(schedules[i], facts);
    schedules[i].facts.unknown_frees = left_out.unknown_frees;
    schedules[i].facts.operations += left_out.unknown_frees;
  }
  return schedules;
}

Schedule build_schedule(Ledgers& ledgers, uint32_t ledger, const BuildOptions& options) {
  return std::move(build_schedules(ledgers, ledger, {&options, 1}).front());
}

}  // namespace heapledger
