// What a replay's JSON says where there is no figure.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "read_json.h"

#include "cli/replay/json.h"

namespace heapledger::cli::replay {
namespace {

struct View {
  LedgerFacts ledger;
  schedule::Header header{};
  BuildFacts built;
  ReplayOptions options;

  ReplayView view() const { return {ledger, header, built, options}; }
};

TEST(ReplayJson, WhatIsNotKnownIsNull) {
  CandidateFigures one;
  one.candidate.name = "mine";
  one.time.defined = false;
  one.peak.ratio = 0.5;  // from one round
  one.rss = {{10, 20, 30, 0}, {20, 30, 40, 4096}};
  one.why_not_counted = "nobody may trace";
  Comparison comparison;
  comparison.rounds = 7;
  comparison.clock_step_ns = 9.5;
  comparison.candidates = {one};
  View played;
  const ReadJson json = read_json(comparison_json(comparison, played.view()));
  EXPECT_TRUE(json["options"]["rounds"].is_null());
  EXPECT_EQ(json["rounds"], 7);
  EXPECT_EQ(json["clock_step_ns"], 9.5);
  const ReadJson& told = json["candidates"][0];
  for (const char* name : {"ratio", "low", "high"}) EXPECT_TRUE(told["time_ratio"][name].is_null());
  EXPECT_EQ(told["peak_ratio"]["ratio"], 0.5);
  EXPECT_TRUE(told["peak_ratio"]["low"].is_null());
  EXPECT_TRUE(told["rss"][0]["rss_bytes"].is_null());
  EXPECT_EQ(told["rss"][1]["rss_bytes"], 4096);
  EXPECT_TRUE(told["system_calls"].is_null());
  EXPECT_EQ(told["why_not_counted"], "nobody may trace");
}

TEST(ReplayJson, SystemCallsThatWereCountedNeedNoReason) {
  CandidateFigures one;
  one.system_calls.emplace();
  Comparison comparison;
  comparison.candidates = {one};
  View played;
  const ReadJson json = read_json(comparison_json(comparison, played.view()));
  EXPECT_EQ(json["candidates"][0]["system_calls"]["all"], 0);
  EXPECT_TRUE(json["candidates"][0]["why_not_counted"].is_null());
}

TEST(ReplayJson, ACheckSaysWhatIsUndecided) {
  CandidateFigures one;
  one.failed = one.undecided = true;
  one.failure = "ran out of memory";
  one.emulated = 3;
  View played;
  const ReadJson json = read_json(check_json({one}, played.view()));
  EXPECT_EQ(json["candidates"][0]["undecided"], true);
  EXPECT_EQ(json["candidates"][0]["emulated"], 3);
}

}  // namespace
}  // namespace heapledger::cli::replay
