// One play, with allocators that do what they should, and with such that do not.
#include "replay/play.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/error.h"
#include "replay/play_environment.h"
#include "tiny_schedule.h"

namespace heapledger {
namespace {

using test::test_allocator;
using test::tiny_schedule;

class ReplayPlay : public ::testing::Test {
 protected:
  void SetUp() override { test::use_built_player(); }

  static Played play_with(const std::string& name, PlayOptions options = {}) {
    return play(tiny_schedule(10, 1000, 64), {name, test_allocator(name), {}}, options);
  }
};

TEST_F(ReplayPlay, MakesEveryCall) {
  for (const char* library : {"libc", "null"}) {
    const Played played = play(tiny_schedule(10, 1000, 64), {library, library, {}}, {});
    ASSERT_TRUE(played.done()) << played.what;
    EXPECT_EQ(played.results->calls, 20000);
    EXPECT_EQ(played.results->phases[1].arrived, 1);
  }
}

// 16 MiB in blocks of 64 KiB, each page of them written: no less can be resident at the peak.
TEST_F(ReplayPlay, MeasuresMemoryThatIsTouched) {
  const Played played = play(tiny_schedule(1, 256, 65536), {"glibc", "libc", {}}, {});
  ASSERT_TRUE(played.done()) << played.what;
  EXPECT_GE(played.results->phases[0].rss_bytes, 16u << 20);
  EXPECT_LE(played.results->phases[0].rss_bytes, 18u << 20);
  EXPECT_GE(played.results->peak_rss_bytes, 16u << 20);
  EXPECT_GE(played.results->minor_faults, 4096 - 16);
}

TEST_F(ReplayPlay, TellsACrashByItsSignal) {
  const Played played = play_with("crashing");
  EXPECT_EQ(played.how, Played::How::kCrashed);
  EXPECT_NE(played.what.find("crashed (SIGSEGV)"), std::string::npos) << played.what;
}

TEST_F(ReplayPlay, KeepsTheLastLineThatItWrote) {
  const Played played = play_with("talking");
  EXPECT_EQ(played.how, Played::How::kCrashed);
  EXPECT_TRUE(played.what.starts_with("crashed (SIGABRT)")) << played.what;
  EXPECT_TRUE(played.what.ends_with(": troubled: cannot go on")) << played.what;
}

TEST_F(ReplayPlay, EndsOneThatHangs) {
  PlayOptions options;
  options.limit_seconds = 0.5;
  const Played played = play_with("hanging", options);
  EXPECT_EQ(played.how, Played::How::kHung);
  EXPECT_NE(played.what.find("500.0 ms"), std::string::npos) << played.what;
  // It is gone: there is no child left to wait for.
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG | __WALL), -1);
}

TEST_F(ReplayPlay, TellsOneThatEndsTheProcess) {
  const Played played = play_with("exiting");
  EXPECT_EQ(played.how, Played::How::kCrashed);
  EXPECT_NE(played.what.find("status 3"), std::string::npos) << played.what;
}

TEST_F(ReplayPlay, TellsOneWithoutMemory) {
  const Played played = play_with("empty");
  EXPECT_EQ(played.how, Played::How::kNoMemory) << played.what;
}

TEST_F(ReplayPlay, FindsBlocksThatOverlapWhenAsked) {
  PlayOptions options;
  options.check = true;
  EXPECT_EQ(play_with("overlapping", options).how, Played::How::kBroken);
  EXPECT_TRUE(play_with("overlapping").done());
}

TEST_F(ReplayPlay, TellsALibraryThatIsNoAllocator) {
  EXPECT_EQ(play_with("no_allocator").how, Played::How::kNotLoaded);
}

TEST_F(ReplayPlay, TellsALibraryThatIsNotThere) {
  const Played played = play_with("never_built");
  EXPECT_EQ(played.how, Played::How::kNotLoaded);
  EXPECT_NE(played.what.find("never_built"), std::string::npos) << played.what;
}

TEST_F(ReplayPlay, SaysThatThePlayerIsNotThere) {
  ::setenv("HEAPLEDGER_PLAYER", "/nowhere/player", 1);
  EXPECT_THROW(play_with("mapping"), Error);
}

// The allocator makes three system calls for each block, and nothing else does.
TEST_F(ReplayPlay, CountsSystemCallsOfTheAllocatorAlone) {
  PlayOptions options;
  options.count_system_calls = true;
  const Schedule schedule = tiny_schedule(5, 100, 64);
  const Played played = play(schedule, {"mapping", test_allocator("mapping"), {}}, options);
  ASSERT_TRUE(played.done()) << played.what;
  if (!played.system_calls) GTEST_SKIP() << played.why_not_counted;
  const std::map<std::string, uint64_t> expected = {
      {"mmap", 500}, {"mprotect", 500}, {"munmap", 500}};
  EXPECT_EQ(played.system_calls->by_name, expected);
  EXPECT_EQ(played.system_calls->all, 1500);
  const Played nothing = play(schedule, {"null", "null", {}}, options);
  ASSERT_TRUE(nothing.done() && nothing.system_calls);
  EXPECT_EQ(nothing.system_calls->all, 0);
}

TEST_F(ReplayPlay, EndsOneThatHangsWhileItIsCounted) {
  PlayOptions options;
  options.limit_seconds = 0.5;
  options.count_system_calls = true;
  const Played played = play_with("hanging", options);
  EXPECT_EQ(played.how, Played::How::kHung);
  EXPECT_FALSE(played.system_calls);
  EXPECT_FALSE(played.why_not_counted.empty());
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG | __WALL), -1);
}

TEST(ReplayEnvironment, HoldsNothingThatReachesTheAllocatorByAccident) {
  const char* const own[] = {"HOME=/root",         "LD_PRELOAD=/x.so",
                             "MALLOC_ARENA_MAX=1", "GLIBC_TUNABLES=glibc.malloc.check=3",
                             "mimalloc_verbose=1", "HEAPLEDGER=out=x",
                             "MALLOC=kept",        nullptr};
  const Candidate candidate{"mine", "/lib/mine.so", {{"MALLOC_CONF", "narenas:1"}}};
  const std::vector<std::string> expected = {"HOME=/root", "MALLOC=kept", "LD_PRELOAD=/lib/mine.so",
                                             "MALLOC_CONF=narenas:1"};
  EXPECT_EQ(player_environment(own, candidate, {}), expected);
}

TEST(ReplayEnvironment, PutsTheRecorderInFront) {
  const char* const own[] = {nullptr};
  PlayOptions options;
  options.recorder = "/lib/libheapledger.so";
  options.record_to = "/tmp/100% done.ledger";
  const std::vector<std::string> expected = {"LD_PRELOAD=/lib/libheapledger.so:/lib/mine.so",
                                             "HEAPLEDGER=out=/tmp/100%%\\ done.ledger"};
  EXPECT_EQ(player_environment(own, {"mine", "/lib/mine.so", {}}, options), expected);
  const std::vector<std::string> alone = {"LD_PRELOAD=/lib/libheapledger.so",
                                          "HEAPLEDGER=out=/tmp/100%%\\ done.ledger"};
  EXPECT_EQ(player_environment(own, {"glibc", "libc", {}}, options), alone);
}

}  // namespace
}  // namespace heapledger
