#include "replay/build.h"

#include <algorithm>
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

Schedule build_schedule(Ledgers& ledgers, uint32_t ledger, const BuildOptions& options) {
  const LedgerFacts& facts = ledgers.facts().at(ledger);
  expect_playable(facts);
  LeftOut left_out;
  auto pass = [&](Builder& builder) {
    left_out = ledgers.operations(
        ledger, [&builder](const Operation& operation) { builder.take(operation); });
  };
  Survey survey;
  {
    Builder builder(options);
    pass(builder);
    survey = builder.survey();
  }
  if (survey.operations == 0) refuse_nothing(facts, left_out);
  if (has_arenas(options)) {  // arenas end with their lanes, and have slots
    Builder builder(options, survey, nullptr);
    pass(builder);
    Survey again = builder.survey();
    if (again.operations != survey.operations) Builder::refuse_change();
    survey = std::move(again);
  }
  ScheduleFile file(static_cast<uint32_t>(survey.lanes.size()),
                    static_cast<uint32_t>(survey.phase_ends().size()));
  Builder builder(options, survey, &file);
  pass(builder);
  Schedule schedule;
  builder.finish(schedule, facts);
  schedule.facts.unknown_frees = left_out.unknown_frees;
  schedule.facts.operations += left_out.unknown_frees;
  return schedule;
}

}  // namespace heapledger
