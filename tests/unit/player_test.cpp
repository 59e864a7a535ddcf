// The player, run as the program it is, with schedules written by hand. Expected figures are
// counted on paper from the words.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <numeric>

#include "hand_schedule.h"

namespace heapledger::test {
namespace {

using player::Flag;
using player::Touch;
using results::Outcome;
using schedule::Aligned;
using schedule::Word;

constexpr uint64_t kMillisecond = 1'000'000;

std::string library(const std::string& name) {
  return std::string(HEAPLEDGER_TEST_ALLOCATORS) + "/lib" + name + ".so";
}

uint32_t alignment(uint32_t log2, Aligned function) {
  return log2 | static_cast<uint32_t>(function) << 8;
}

void expect_done(const HandPlayed& played, uint64_t calls) {
  EXPECT_TRUE(WIFEXITED(played.status) && WEXITSTATUS(played.status) == 0) << played.status;
  EXPECT_EQ(played.outcome(), Outcome::kDone) << played.results->text;
  EXPECT_EQ(played.results->magic, results::kMagic);
  EXPECT_EQ(played.results->calls, calls);
}

// In the check as well as without it, with the allocator of the C library and with none.
void expect_done_everywhere(const HandSchedule& schedule, uint64_t calls) {
  const std::string bytes = schedule.bytes();
  for (const std::string& name : {std::string("libc"), std::string("null"), library("faultless")}) {
    for (uint32_t flags : {0u, 0u + Flag::kLatency, 0u + Flag::kCheck}) {
      for (Touch touch : {Touch::kNone, Touch::kFirst, Touch::kAll}) {
        SCOPED_TRACE(name + " " + std::to_string(flags));
        expect_done(play_by_hand(bytes, name, flags, touch), calls);
      }
    }
  }
}

double milliseconds(const HandPlayed& played, uint64_t ticks) {
  return static_cast<double>(ticks) * played.results->ns_per_tick / 1e6;
}

TEST(Player, MakesEveryKindOfCall) {
  HandSchedule schedule(1, 20);
  schedule.add(0, Word::kMalloc, 0, 100)
      .add(0, Word::kCalloc, 1, 50)
      .add(0, Word::kReallocNew, 2, 10)
      .add(0, Word::kReallocArrayNew, 3, 20)
      .add(0, Word::kAlign, 0, alignment(6, Aligned::kPosixMemalign))
      .add(0, Word::kAligned, 4, 30)
      .add(0, Word::kAlign, 0, alignment(5, Aligned::kAlignedAlloc))
      .add(0, Word::kAligned, 5, 64)
      .add(0, Word::kAlign, 0, alignment(12, Aligned::kMemalign))
      .add(0, Word::kAligned, 6, 1)
      .add(0, Word::kValloc, 7, 5)
      .add(0, Word::kPvalloc, 8, 5000)
      .add(0, Word::kMalloc, 9, 0)
      .add(0, Word::kRealloc, 0, 5000)
      .add(0, Word::kRealloc, 0, 10)
      .add(0, Word::kReallocArray, 3, 2)
      .add(0, Word::kFree, 0, 10)
      .add(0, Word::kFreeSized, 1, 50)
      .add(0, Word::kAlign, 0, alignment(6, Aligned::kPosixMemalign))
      .add(0, Word::kFreeAlignedSized, 4, 30)
      .add(0, Word::kReallocFree, 2, 10)
      .add(0, Word::kReallocArrayFree, 3, 2)
      .add(0, Word::kFreeNull);
  expect_done_everywhere(schedule, 19);
}

TEST(Player, TimesEveryCall) {
  HandSchedule schedule(1, 1);
  for (int i = 0; i < 3000; ++i) schedule.add(0, Word::kMalloc, 0, 64).add(0, Word::kFree, 0, 64);
  const auto played = play_by_hand(schedule.bytes(), "libc", Flag::kLatency);
  expect_done(played, 6000);
  const auto& latency = played.results->latency;
  EXPECT_EQ(std::accumulate(std::begin(latency), std::end(latency), uint64_t{0}), 6000u);
  EXPECT_GT(played.results->latency_worst, 0u);
}

TEST(Player, PrefixesMayGoOnInAnotherChunk) {
  HandSchedule schedule(1, 1);
  schedule.words_in_chunk(1)
      .add(0, Word::kAlign, 0, alignment(8, Aligned::kMemalign))
      .add(0, Word::kHigh, 0, 0)
      .add(0, Word::kAligned, 0, 32)
      .add(0, Word::kFree, 0, 32);
  expect_done_everywhere(schedule, 2);
}

TEST(Player, SizesHaveAHighHalf) {
  HandSchedule schedule(1, 1);
  schedule.add(0, Word::kHigh, 0, 1 << 30).add(0, Word::kMalloc, 0, 7);
  const auto played = play_by_hand(schedule.bytes(), "libc");
  EXPECT_EQ(played.outcome(), Outcome::kNoMemory);
  EXPECT_STREQ(played.results->text,
               "after 1 calls: malloc of 4611686018427387911 bytes gave NULL");
}

TEST(Player, BlocksGoFromLaneToLane) {
  HandSchedule schedule(2, 4);
  schedule.add(0, Word::kSpawn, 1, 0);
  for (uint32_t i = 0; i < 5000; ++i) {
    schedule.add(0, Word::kMalloc, i % 4, 100 + i);
    schedule.add(1, Word::kTake, i % 4, i / 4).add(1, Word::kFree, 4 + i % 4, 100 + i);
  }
  expect_done_everywhere(schedule, 10000);
}

TEST(Player, ATakenBlockCanGetAnotherSize) {
  HandSchedule schedule(2, 1);
  schedule.add(0, Word::kSpawn, 1, 0)
      .add(0, Word::kMalloc, 0, 1000)
      .add(1, Word::kTake, 0, 0)
      .add(1, Word::kRealloc, 1, 100'000)
      .add(1, Word::kFree, 1, 100'000);
  expect_done_everywhere(schedule, 3);
}

// Whoever takes a block early waits for it, and waiting is no work. On a machine that has no time
// for us, the one that takes may begin after the pause and find the block there, and one that
// works may be kept from it: so it need be seen only once in a few plays.
TEST(Player, ABlockIsTakenOnlyOnceItIsThere) {
  HandSchedule schedule(2, 1);
  schedule.add(0, Word::kSpawn, 1, 0)
      .pause(0, 30 * kMillisecond)
      .add(0, Word::kMalloc, 0, 10)
      .add(1, Word::kTake, 0, 0)
      .add(1, Word::kFree, 1, 10)
      .add(1, Word::kPhase, 0, 0);
  const std::string bytes = schedule.bytes();
  bool waited = false;
  for (int play = 0; play < 40 && !waited; ++play) {
    const auto played = play_by_hand(bytes, "libc", Flag::kReal);
    expect_done(played, 2);
    EXPECT_GE(milliseconds(played, played.results->phases[0].ticks), 29);
    EXPECT_LE(played.results->waits, 1u);
    waited = played.results->waits == 1 && milliseconds(played, played.results->busy_ticks) < 29;
  }
  EXPECT_TRUE(waited);
}

TEST(Player, ALaneBeginsWhenOthersHaveEnded) {
  HandSchedule schedule(3, 1);
  schedule.ends({1, 0, 2})
      .add(0, Word::kSpawn, 1, 0)
      .add(0, Word::kSpawn, 2, 1)
      .pause(1, 30 * kMillisecond)
      .add(2, Word::kPhase, 0, 0);
  const auto played = play_by_hand(schedule.bytes(), "null", Flag::kReal);
  expect_done(played, 0);
  EXPECT_EQ(played.results->lanes_ended, 3u);
  EXPECT_EQ(played.results->most_lanes, 2u);
  EXPECT_GE(milliseconds(played, played.results->phases[0].ticks), 29);
}

TEST(Player, ThreadsOneAfterTheOther) {
  constexpr uint32_t kLanes = 500;
  HandSchedule schedule(kLanes, 1);
  std::vector<uint32_t> ends;
  for (uint32_t lane = 1; lane < kLanes; ++lane) {
    schedule.add(0, Word::kSpawn, lane, lane - 1);
    schedule.add(lane, Word::kMalloc, lane, 100).add(lane, Word::kFree, lane, 100);
    ends.push_back(lane);
  }
  ends.push_back(0);
  schedule.ends(ends);
  const auto played = play_by_hand(schedule.bytes(), "libc", Flag::kCheck);
  expect_done(played, 2 * (kLanes - 1));
  EXPECT_EQ(played.results->most_lanes, 2u);
}

TEST(Player, StrictOrderWaitsForFrees) {
  HandSchedule schedule(2, 1);
  schedule.strict()
      .add(0, Word::kSpawn, 1, 0)
      .add(0, Word::kAwait, 1, 2)
      .add(0, Word::kPhase, 0, 0)
      .add(1, Word::kMalloc, 1, 10)
      .add(1, Word::kFree, 1, 10)
      .pause(1, 30 * kMillisecond)
      .add(1, Word::kMalloc, 1, 10)
      .add(1, Word::kFree, 1, 10);
  const auto played = play_by_hand(schedule.bytes(), "libc", Flag::kReal);
  expect_done(played, 4);
  EXPECT_GE(milliseconds(played, played.results->phases[0].ticks), 29);
}

// Lane 1 begins after phase 0 and ends before phase 2; lane 0 takes a block of it.
TEST(Player, LiveBytesOfEveryPhase) {
  HandSchedule schedule(2, 4, 4);
  schedule.add(0, Word::kMalloc, 0, 1000)
      .add(0, Word::kPhase, 0, 0)
      .add(0, Word::kSpawn, 1, 0)
      .add(0, Word::kRealloc, 0, 1500)
      .add(0, Word::kPhase, 0, 1)
      .add(0, Word::kTake, 5, 0)
      .add(0, Word::kFree, 1, 20)
      .add(0, Word::kPhase, 0, 2)
      .add(0, Word::kFree, 0, 1500)
      .add(0, Word::kPhase, 0, 3)
      .add(1, Word::kMalloc, 4, 300)
      .add(1, Word::kMalloc, 5, 20)
      .add(1, Word::kPhase, 0, 1)
      .add(1, Word::kCalloc, 6, 7);
  for (const char* name : {"libc", "null"}) {
    const auto played = play_by_hand(schedule.bytes(), name, Flag::kCheck);
    expect_done(played, 7);
    const auto& phases = played.results->phases;
    EXPECT_EQ(phases[0].live_bytes, 1000);
    EXPECT_EQ(phases[1].live_bytes, 1500 + 320);
    EXPECT_EQ(phases[2].live_bytes, 1500 + 300 + 7);
    EXPECT_EQ(phases[3].live_bytes, 300 + 7);
    EXPECT_EQ(phases[1].arrived, 2u);
    EXPECT_EQ(phases[2].arrived, 1u);
  }
}

TEST(Player, ResidentMemoryIsThatOfTheHeap) {
  constexpr uint32_t kSize = 64 << 20;
  HandSchedule schedule(1, 1, 2);
  schedule.add(0, Word::kMalloc, 0, kSize)
      .add(0, Word::kPhase, 0, 0)
      .add(0, Word::kFree, 0, kSize)
      .add(0, Word::kPhase, 0, 1);
  const auto played = play_by_hand(schedule.bytes(), "libc", 0, Touch::kAll);
  expect_done(played, 2);
  const auto& results = *played.results;
  constexpr uint64_t kSlack = 1 << 20;
  for (uint64_t bytes : {results.phases[0].rss_bytes, results.peak_rss_bytes}) {
    EXPECT_GE(bytes, kSize - kSlack);
    EXPECT_LE(bytes, kSize + kSlack);
  }
  EXPECT_LE(results.end_rss_bytes, kSlack);
  EXPECT_GE(results.minor_faults, kSize / 4096 / 512);  // large pages, at the fewest
}

TEST(Player, TheNullAllocatorTakesNoMemory) {
  HandSchedule schedule(1, 1);
  schedule.add(0, Word::kHigh, 0, 16).add(0, Word::kMalloc, 0, 0).add(0, Word::kPhase, 0, 0);
  const auto played = play_by_hand(schedule.bytes(), "null", 0, Touch::kAll);
  expect_done(played, 1);
  EXPECT_LE(played.results->peak_rss_bytes, 1u << 20);
}

TEST(Player, WhatFailedIsMadeAndGivenBack) {
  HandSchedule schedule(1, 1);
  schedule.add(0, Word::kMalloc, 0, 100)
      .add(0, Word::kFails)
      .add(0, Word::kMalloc, 0, 200)
      .add(0, Word::kFails)
      .add(0, Word::kHigh, 0, 1 << 30)
      .add(0, Word::kCalloc, 0, 0)
      .add(0, Word::kFails)
      .add(0, Word::kHigh, 0, 1 << 30)
      .add(0, Word::kRealloc, 0, 0)
      .add(0, Word::kFree, 0, 100);
  const auto played = play_by_hand(schedule.bytes(), "libc", Flag::kCheck);
  expect_done(played, 5);
  EXPECT_EQ(played.results->given_back, 1u);
}

TEST(Player, FunctionsThatAnAllocatorHasNotAreMadeOfOthers) {
  HandSchedule schedule(1, 3);
  schedule.add(0, Word::kAlign, 0, alignment(6, Aligned::kPosixMemalign))
      .add(0, Word::kAligned, 0, 64)
      .add(0, Word::kPvalloc, 1, 100)
      .add(0, Word::kReallocArrayNew, 2, 100)
      .add(0, Word::kFreeSized, 2, 100);
  const auto played = play_by_hand(schedule.bytes(), library("faultless"), Flag::kCheck);
  expect_done(played, 4);
  EXPECT_EQ(played.results->emulated, 4u);
}

// What its calloc gets from "malloc" is memory of the heap, not of the player's own.
TEST(Player, AnAllocatorThatCallsMallocByNameGetsItsOwn) {
  constexpr uint32_t kSize = 16 << 20;
  HandSchedule schedule(1, 1);
  schedule.add(0, Word::kCalloc, 0, kSize).add(0, Word::kPhase, 0, 0);
  const auto played = play_by_hand(schedule.bytes(), library("faultless"));
  expect_done(played, 1);
  EXPECT_GE(played.results->phases[0].rss_bytes, kSize / 2);
}

TEST(Player, NamesTheObjectThatWasCalled) {
  HandSchedule schedule(1, 1);
  EXPECT_STREQ(play_by_hand(schedule.bytes(), "null").results->allocator, "null");
  EXPECT_EQ(play_by_hand(schedule.bytes(), library("faultless")).results->allocator,
            library("faultless"));
}

}  // namespace
}  // namespace heapledger::test
