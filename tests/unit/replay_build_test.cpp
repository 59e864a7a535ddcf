// Schedules: what is in them, and that they can be played in any order that their waits allow.
#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "analyzer/error.h"
#include "format/modes.h"
#include "heap_history.h"
#include "query_bytes.h"
#include "replay/build.h"
#include "schedule_player.h"

namespace heapledger {
namespace {

using format::Kind;
using schedule::Word;
using test::HeapHistory;
using test::HistoryCall;
using test::HistoryOptions;
using test::LedgerBuilder;
using test::open_bytes;
using test::PlayedCall;
using test::SchedulePlayer;

const std::map<Kind, Word> kWords = {
    {Kind::kMalloc, Word::kMalloc},
    {Kind::kCalloc, Word::kCalloc},
    {Kind::kReallocNew, Word::kReallocNew},
    {Kind::kReallocArrayNew, Word::kReallocArrayNew},
    {Kind::kValloc, Word::kValloc},
    {Kind::kPvalloc, Word::kPvalloc},
    {Kind::kPosixMemalign, Word::kAligned},
    {Kind::kAlignedAlloc, Word::kAligned},
    {Kind::kMemalign, Word::kAligned},
    {Kind::kRealloc, Word::kRealloc},
    {Kind::kReallocArray, Word::kReallocArray},
    {Kind::kFree, Word::kFree},
    {Kind::kFreeSized, Word::kFreeSized},
    {Kind::kFreeAlignedSized, Word::kFreeAlignedSized},
    {Kind::kReallocFree, Word::kReallocFree},
    {Kind::kReallocArrayFree, Word::kReallocArrayFree},
};

// Of one call: function, size, bytes freed, alignment, failure.
using Made = std::tuple<Word, uint64_t, uint64_t, uint32_t, bool>;

Made made(const HistoryCall& call) {
  if (call.is_null) return {Word::kFreeNull, 0, 0, 0, false};
  const bool frees = call.size == 0 && call.old_size != 0;
  uint32_t alignment = 0;
  if (call.kind == Kind::kPosixMemalign) alignment = 6;
  if (call.kind == Kind::kAlignedAlloc) alignment = 6 | 1 << 8;
  if (call.kind == Kind::kMemalign) alignment = 6 | 2 << 8;
  return {kWords.at(call.kind), frees ? call.old_size : call.size, call.old_size, alignment,
          call.fails};
}
Made made(const PlayedCall& call) {
  const uint32_t alignment = call.word == Word::kFreeAlignedSized ? 0 : call.alignment;
  return {call.word, call.size, call.freed, alignment, call.fails};
}

Schedule build(const std::string& bytes, const BuildOptions& options = {}) {
  Ledgers ledgers = open_bytes({bytes});
  return build_schedule(ledgers, 0, options);
}

// Phases as they are in the history: those after so many calls.
void expect_phases(const Schedule& schedule, const HeapHistory& history) {
  ASSERT_FALSE(schedule.phases.empty());
  uint64_t peaks = 0;
  for (const schedule::Phase& phase : schedule.phases) {
    ASSERT_GT(phase.calls, 0u);
    const HistoryCall& call = history.calls().at(phase.calls - 1);
    EXPECT_EQ(phase.live_bytes, call.live_bytes);
    EXPECT_EQ(phase.live_blocks, call.live_blocks);
    if (phase.is_peak == 0) continue;
    ++peaks;
    EXPECT_EQ(phase.live_bytes, history.peak_bytes());
  }
  EXPECT_EQ(peaks, 1u);
  EXPECT_EQ(schedule.phases.back().calls, history.calls().size());
}

TEST(Build, EveryCallIsMadeOnceInAnyOrderThatTheWaitsAllow) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    HistoryOptions options;
    options.seed = seed;
    options.threads = static_cast<uint32_t>(1 + seed % 9);
    options.calls = seed == 5 ? 40'000 : 3000;
    HeapHistory history(options);
    Schedule schedule = build(history.bytes());
    EXPECT_EQ(schedule.header.lanes, options.threads);
    expect_phases(schedule, history);
    std::vector<std::vector<Made>> expected(options.threads);
    for (const HistoryCall& call : history.calls()) expected[call.thread].push_back(made(call));
    for (uint64_t order = 1; order <= 3; ++order) {
      SchedulePlayer player(schedule, seed * 100 + order);
      ASSERT_TRUE(player.play());
      std::vector<std::vector<Made>> actual(options.threads);
      for (const PlayedCall& call : player.calls) {
        actual.at(player.lanes[call.lane].recorded_thread - 500).push_back(made(call));
      }
      EXPECT_EQ(actual, expected);
      EXPECT_EQ(player.live_bytes, history.calls().back().live_bytes);
    }
  }
}

TEST(Build, OneThreadKeepsTheOrderOfAll) {
  HistoryOptions options;
  options.threads = 5;
  HeapHistory history(options);
  BuildOptions one;
  one.one_thread = true;
  one.strict = true;  // which is nothing here
  Schedule schedule = build(history.bytes(), one);
  EXPECT_EQ(schedule.header.lanes, 1u);
  EXPECT_EQ(schedule.header.strict, 0u);
  expect_phases(schedule, history);
  SchedulePlayer player(schedule, 1);
  ASSERT_TRUE(player.play());
  ASSERT_EQ(player.calls.size(), history.calls().size());
  for (size_t i = 0; i < player.calls.size(); ++i) {
    ASSERT_EQ(made(player.calls[i]), made(history.calls()[i])) << i;
    EXPECT_FALSE(player.calls[i].takes);
  }
  EXPECT_EQ(player.peak_bytes, history.peak_bytes());
  EXPECT_EQ(schedule.header.peak_bytes, history.peak_bytes());
}

// How many frees of the history come before each allocation; in a play, the same or more.
TEST(Build, StrictOrderFreesWhatWasFreedBefore) {
  for (bool strict : {false, true}) {
    uint64_t too_early = 0;
    for (uint64_t seed = 1; seed <= 8; ++seed) {
      HistoryOptions options;
      options.seed = seed;
      options.threads = 5;
      options.calls = 2000;
      HeapHistory history(options);
      BuildOptions how;
      how.strict = strict;
      Schedule schedule = build(history.bytes(), how);
      SchedulePlayer player(schedule, seed);
      ASSERT_TRUE(player.play());
      // Of each lane, frees by all the others before its n-th call.
      std::vector<std::vector<std::vector<uint64_t>>> before(options.threads);
      std::vector<uint64_t> frees(options.threads);
      for (const HistoryCall& call : history.calls()) {
        before[call.thread].push_back(frees);
        if (call.old_size != 0 && call.size == 0) ++frees[call.thread];
      }
      std::fill(frees.begin(), frees.end(), 0);
      std::vector<size_t> at(options.threads);
      for (const PlayedCall& call : player.calls) {
        const uint32_t thread = player.lanes[call.lane].recorded_thread - 500;
        const std::vector<uint64_t>& wanted = before[thread][at[thread]++];
        const bool allocates = call.word <= Word::kReallocArray && !call.fails;
        for (uint32_t other = 0; allocates && other < options.threads; ++other) {
          too_early += frees[other] < wanted[other] ? 1 : 0;
        }
        if (call.freed != 0 && call.word >= Word::kFree) ++frees[thread];
      }
      EXPECT_EQ(schedule.header.strict, strict ? 1u : 0u);
      EXPECT_EQ(player.awaits > 0, strict);
    }
    if (strict) {
      EXPECT_EQ(too_early, 0u);
    } else {
      EXPECT_GT(too_early, 0u);  // so that the test could fail
    }
  }
}

TEST(Build, WhatTheLedgerDoesNotHave) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    HistoryOptions options;
    options.seed = seed;
    options.too_early_ns = seed % 2 == 0 ? 300 : 0;
    options.loses = true;
    options.has_unknown = true;
    HeapHistory history(options);
    Ledgers ledgers = open_bytes({history.bytes()});
    Schedule schedule = build_schedule(ledgers, 0, {});
    const BuildFacts& facts = schedule.facts;
    EXPECT_EQ(facts.operations, history.calls().size());
    EXPECT_GT(facts.unknown_frees, 0u);
    EXPECT_GT(facts.unknown_resizes, 0u);
    EXPECT_GT(facts.lost_frees, 0u);
    EXPECT_EQ(schedule.header.calls, facts.operations - facts.unknown_frees + facts.lost_frees);
    SchedulePlayer player(schedule, seed);
    ASSERT_TRUE(player.play());
    EXPECT_EQ(player.live_bytes, ledgers.facts()[0].totals.end_bytes);
    EXPECT_EQ(schedule.phases.back().live_blocks, ledgers.facts()[0].totals.end_blocks);
  }
}

// A thread begins when those have ended that had ended before, so no more of them are there at a
// time than there were.
TEST(Build, ThousandsOfThreadsOneAfterTheOther) {
  LedgerBuilder ledger;
  constexpr uint32_t kThreads = 3000;
  ledger.window(0).thread(0, 0, 500, "main");
  for (uint32_t t = 1; t <= kThreads; ++t) {
    const uint64_t time = t * uint64_t{100'000};
    ledger.window(0).malloc(time, 0x1000, 100);
    auto& window = ledger.window(1);
    window.thread(time + 10, t, 500 + t, "worker");
    window.malloc(time + 20, 0x2000, 200).free(time + 30, 0x2000).free(time + 40, 0x1000);
  }
  ledger.window(0).malloc(kThreads * uint64_t{200'000}, 0x1000, 1);
  Schedule schedule = build(ledger.bytes());
  EXPECT_EQ(schedule.header.lanes, kThreads + 1);
  EXPECT_EQ(schedule.header.calls, 4 * kThreads + 1);
  SchedulePlayer player(schedule, 1);
  ASSERT_TRUE(player.play());
  EXPECT_EQ(player.calls.size(), 4 * kThreads + 1);
  EXPECT_EQ(player.most_lanes, 2u);
  EXPECT_GE(player.pauses, kThreads);
  // Each worker needs one slot for its own block, and one for the other's.
  EXPECT_LE(schedule.header.slots, 2 * kThreads + 1100);
}

TEST(Build, SlotsThatOthersEmptyAreLeftAloneForAWhile) {
  LedgerBuilder ledger;
  for (uint64_t i = 0; i < 5000; ++i) {
    ledger.window(0).malloc(100 * i + 10, 0x1000 + 0x10 * (i % 3000), 8);
    ledger.window(1).free(100 * i + 60, 0x1000 + 0x10 * (i % 3000));
  }
  Schedule schedule = build(ledger.bytes());
  EXPECT_EQ(schedule.header.slots, 1025u + 1);
  SchedulePlayer player(schedule, 1);
  ASSERT_TRUE(player.play());
}

TEST(Build, PausesAreWhereNothingHappened) {
  LedgerBuilder ledger;
  ledger.window(0).malloc(100, 0x1000, 8).free(20'200, 0x1000).malloc(30'000, 0x1000, 8);
  ledger.window(0).free(5'000'000'000, 0x1000);
  Schedule schedule = build(ledger.bytes());
  SchedulePlayer player(schedule, 1);
  ASSERT_TRUE(player.play());
  EXPECT_EQ(player.pauses, 2u);
  EXPECT_EQ(schedule::pause_ns(schedule::make_pause(5'000'000'000)), 5'000'000'000u);
}

// Of a program that runs there is more each time: what there was at first is played, or nothing.
TEST(Build, LedgersMayGrowWhileTheyAreRead) {
  HistoryOptions shorter;
  shorter.calls = 2000;
  HistoryOptions longer = shorter;
  longer.calls = 2500;
  HistoryOptions other = shorter;
  other.seed = 2;
  const std::string first = HeapHistory(shorter).bytes();
  for (const HistoryOptions& later : {longer, other}) {
    for (int stays : {1, 2, 3}) {
      int opened = 0;
      auto second = std::make_shared<std::string>(HeapHistory(later).bytes());
      Ledgers ledgers({[&opened, &first, second, stays] {
                        return in_memory("a.ledger", opened++ < stays ? first : *second);
                      }},
                      {});
      try {
        Schedule schedule = build_schedule(ledgers, 0, {});
        SchedulePlayer player(schedule, 1);
        EXPECT_TRUE(player.play());
        EXPECT_TRUE(later.seed == 1 || stays != 2);
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("changed while it was read"), std::string::npos);
        EXPECT_EQ(later.seed, 2u);
      }
    }
  }
}

std::string refusal(LedgerBuilder& ledger) {
  ledger.window(0).info(5, format::InfoKey::kCommand, std::string("./server\0--x\0", 13));
  try {
    build(ledger.bytes());
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData);
    return error.what();
  }
  return "it was built";
}

TEST(Build, RefusesWhatDoesNotHaveEveryCall) {
  const std::string again = ". Record it anew with: heapledger run -- ./server --x";
  LedgerBuilder sampled;
  sampled.header.mode = format::kModeSample;
  sampled.header.sample_bytes = 1000;
  sampled.window(0).malloc(10, 0x1000, 100);
  EXPECT_EQ(refusal(sampled),
            "test0.ledger was recorded in sample mode: single calls are not in it" + again);
  LedgerBuilder live;
  live.header.mode = format::kModeLive;
  live.window(0).malloc(10, 0x1000, 100);
  EXPECT_EQ(refusal(live),
            "test0.ledger is the heap of one moment: blocks that were freed are not in it" + again);
  LedgerBuilder empty;
  const std::string nothing =
      "test0.ledger has nothing to play: the program made no calls of malloc that succeeded";
  EXPECT_EQ(refusal(empty), nothing);
  LedgerBuilder unknown;
  unknown.window(0).free(10, 0x1000);
  EXPECT_EQ(refusal(unknown), nothing + ", and freed only blocks that are older than the ledger");
  LedgerFacts counted;
  counted.path = "/tmp/a b.ledger";
  counted.counts.threads.emplace_back();
  try {
    expect_playable(counted);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "a b.ledger was recorded in count mode: single calls are not in it. Record it "
                 "anew with: heapledger run -- PROGRAM");
  }
}

}  // namespace
}  // namespace heapledger
