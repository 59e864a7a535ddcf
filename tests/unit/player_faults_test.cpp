// The player with allocators that do not keep their promises, and with schedules that are damaged.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstring>
#include <random>

#include "hand_schedule.h"

namespace heapledger::test {
namespace {

using player::Flag;
using results::Outcome;
using schedule::Word;

std::string library(const std::string& name) {
  return std::string(HEAPLEDGER_TEST_ALLOCATORS) + "/lib" + name + ".so";
}

void expect_outcome(const HandPlayed& played, Outcome outcome, const std::string& text) {
  EXPECT_TRUE(WIFEXITED(played.status) && WEXITSTATUS(played.status) == 0) << played.status;
  EXPECT_EQ(played.outcome(), outcome) << played.results->text;
  EXPECT_NE(std::string(played.results->text).find(text), std::string::npos)
      << played.results->text;
}

void expect_broken(const HandSchedule& schedule, const std::string& name, const std::string& text) {
  const std::string bytes = schedule.bytes();
  expect_outcome(play_by_hand(bytes, library(name), Flag::kCheck), Outcome::kBroken, text);
  expect_outcome(play_by_hand(bytes, "libc", Flag::kCheck), Outcome::kDone, "");
}

TEST(PlayerFaults, BlocksThatOverlap) {
  HandSchedule schedule(1, 1000);
  for (uint32_t i = 0; i < 1000; ++i) schedule.add(0, Word::kMalloc, i, 64);
  for (uint32_t i = 0; i < 1000; ++i) schedule.add(0, Word::kFree, i, 64);
  expect_broken(schedule, "overlapping", "after 1001 calls: a block of 64 bytes at 0x");
}

TEST(PlayerFaults, BlocksThatOverlapAndAreNeverFreed) {
  HandSchedule schedule(1, 1000);
  for (uint32_t i = 0; i < 1000; ++i) schedule.add(0, Word::kMalloc, i, 64);
  expect_broken(schedule, "overlapping", "after the last call: a block of 64 bytes");
}

TEST(PlayerFaults, ReallocThatForgets) {
  HandSchedule schedule(1, 1);
  schedule.add(0, Word::kMalloc, 0, 40 + 24).add(0, Word::kRealloc, 0, 100);
  expect_broken(schedule, "forgetful",
                "after 2 calls: realloc from 64 to 100 bytes did not keep what was in the block, "
                "from byte 56 on");
}

TEST(PlayerFaults, CallocThatDoesNotClear) {
  HandSchedule schedule(1, 1);
  schedule.add(0, Word::kCalloc, 0, 30);
  expect_broken(schedule, "dirty",
                "after 1 calls: calloc gave a block of 30 bytes that is not all zero, from byte 0");
}

TEST(PlayerFaults, BlocksThatAreNotAligned) {
  HandSchedule schedule(1, 2);
  schedule.add(0, Word::kMalloc, 0, 16).add(0, Word::kMalloc, 1, 40);
  expect_broken(schedule, "misaligned", "after 2 calls: malloc gave a block of 40 bytes at 0x");
}

TEST(PlayerFaults, AlignedBlocksThatAreNot) {
  HandSchedule schedule(1, 8);
  for (uint32_t i = 0; i < 8; ++i) {
    schedule.add(0, Word::kAlign, 0, 10 | 2 << 8).add(0, Word::kAligned, i, 16);
  }
  expect_broken(schedule, "misaligned", "which is not aligned to 1024");
}

TEST(PlayerFaults, OtherBlocksChangedByACall) {
  HandSchedule schedule(1, 2);
  schedule.add(0, Word::kMalloc, 0, 16)
      .add(0, Word::kMalloc, 1, 16)
      .add(0, Word::kRealloc, 1, 32)
      .add(0, Word::kFree, 1, 32);
  expect_broken(schedule, "clearing", "after the last call: a block of 16 bytes at 0x");
}

TEST(PlayerFaults, NoMemory) {
  HandSchedule schedule(1, 1000);
  for (uint32_t i = 0; i < 1000; ++i) schedule.add(0, Word::kMalloc, i, 77);
  for (uint32_t flags : {0u, 0u + Flag::kLatency, 0u + Flag::kCheck}) {
    expect_outcome(play_by_hand(schedule.bytes(), library("empty"), flags), Outcome::kNoMemory,
                   "after 1000 calls: malloc of 77 bytes gave NULL");
  }
}

TEST(PlayerFaults, AnotherLibraryThanWasAskedFor) {
  HandSchedule schedule(1, 1);
  const std::string bytes = schedule.bytes();
  expect_outcome(play_expecting(library("dirty"), bytes, library("faultless")), Outcome::kNotLoaded,
                 "malloc comes from " + library("faultless"));
  expect_outcome(play_expecting(library("dirty"), bytes, "libc"), Outcome::kNotLoaded,
                 "libc.so.6, not from " + library("dirty"));
  expect_outcome(play_expecting("libc", bytes, library("faultless")), Outcome::kNotLoaded,
                 "malloc comes from " + library("faultless"));
  expect_outcome(play_expecting("libc", bytes, library("faultless"), Flag::kRecorder),
                 Outcome::kDone, "");
}

TEST(PlayerFaults, ACrashIsASignal) {
  HandSchedule schedule(1, 1000);
  for (uint32_t i = 0; i < 1000; ++i) schedule.add(0, Word::kMalloc, i, 64);
  const auto played = play_by_hand(schedule.bytes(), library("crashing"));
  EXPECT_TRUE(WIFSIGNALED(played.status));
  EXPECT_EQ(played.outcome(), Outcome::kStarted);
}

class DamagedSchedule : public ::testing::Test {
 protected:
  static void expect_bad(const HandSchedule& schedule, const std::string& text) {
    expect_outcome(play_by_hand(schedule.bytes(), "null"), Outcome::kBadSchedule, text);
  }
  static void expect_damaged(const HandSchedule& schedule) { expect_bad(schedule, "is damaged"); }
};

TEST_F(DamagedSchedule, WordsThatMeanNothing) {
  expect_damaged(HandSchedule(1, 1).add(0, Word{25}));
  expect_damaged(HandSchedule(1, 1).add(0, Word::kMalloc, 1, 10));   // no such slot
  expect_damaged(HandSchedule(2, 1).add(0, Word::kMalloc, 1, 10));   // another lane's
  expect_damaged(HandSchedule(1, 1).add(0, Word::kAligned, 0, 10));  // without an alignment
  expect_damaged(HandSchedule(1, 1).add(0, Word::kPhase, 0, 1));     // no such phase
  expect_damaged(HandSchedule(1, 1).add(0, Word::kSpawn, 1, 0));     // no such lane
  expect_damaged(HandSchedule(2, 1).add(0, Word::kSpawn, 0, 0));     // the first one
  expect_damaged(HandSchedule(1, 1).add(0, Word::kAwait, 1, 0));     // no such lane
  expect_damaged(HandSchedule(1, 1).add(0, Word::kNext, 0, 1));      // no such chunk
  expect_damaged(HandSchedule(1, 1).add(0, Word::kFails));           // before no call
  expect_damaged(
      HandSchedule(1, 2).add(0, Word::kTake, 7, 0).add(0, Word::kFree, 0, 10));  // no such slot
  expect_damaged(
      HandSchedule(1, 2).add(0, Word::kTake, 1, 0).add(0, Word::kMalloc, 0, 10));  // no free
}

TEST_F(DamagedSchedule, LanesThatBeginTwiceOrNever) {
  expect_bad(HandSchedule(2, 1).add(0, Word::kSpawn, 1, 0).add(0, Word::kSpawn, 1, 0),
             "lane 1 of the schedule begins twice");
  expect_bad(HandSchedule(2, 1), "only 1 of the schedule's 2 lanes were begun");
}

TEST_F(DamagedSchedule, ALaneThatGoesRoundAndRound) {
  expect_bad(HandSchedule(1, 1).add(0, Word::kNext, 0, 0), "has no end");
}

TEST_F(DamagedSchedule, CallsThatAreNotAllThere) {
  std::string bytes = HandSchedule(1, 1).add(0, Word::kFreeNull).bytes();
  schedule::Header header{};
  std::memcpy(&header, bytes.data(), sizeof header);
  bytes[header.lanes_at + offsetof(schedule::Lane, calls)] = 2;
  expect_outcome(play_by_hand(bytes, "null"), Outcome::kBadSchedule, "has 1 calls instead of 2");
}

TEST_F(DamagedSchedule, FilesThatAreCut) {
  const std::string bytes = HandSchedule(1, 1).add(0, Word::kFreeNull).bytes();
  for (size_t size : {size_t{0}, size_t{10}, sizeof(schedule::Header), bytes.size() - 8}) {
    expect_outcome(play_by_hand(bytes.substr(0, size), "null"), Outcome::kBadSchedule, "");
  }
}

// Whatever is in the header and the tables, the player says how it ended.
TEST_F(DamagedSchedule, EveryByteOfItsTables) {
  HandSchedule schedule(2, 2);
  schedule.add(0, Word::kSpawn, 1, 0).add(0, Word::kMalloc, 0, 100).add(0, Word::kPhase, 0, 0);
  const std::string bytes = schedule.bytes();
  const size_t tables =
      sizeof(schedule::Header) + 2 * sizeof(schedule::Lane) + 8 + sizeof(schedule::Phase);
  for (size_t at = 0; at < tables; ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x81);
    const auto played = play_by_hand(damaged, "null");
    EXPECT_TRUE(WIFEXITED(played.status) && WEXITSTATUS(played.status) == 0) << at;
    EXPECT_TRUE(played.outcome() == Outcome::kDone || played.outcome() == Outcome::kBadSchedule)
        << at;
  }
}

}  // namespace
}  // namespace heapledger::test
