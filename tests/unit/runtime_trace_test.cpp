// Trace mode called directly, without preloading, so that it also runs under the sanitizers: what
// several threads do through it must be in the ledger to the last byte.
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <latch>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "analyze_bytes.h"
#include "runtime/bootstrap/recording.h"
#include "runtime/ledger/entry_guard.h"
#include "runtime/ledger/file.h"
#include "runtime/ledger/settings_in_force.h"
#include "runtime/modes/mode.h"
#include "runtime/modes/real_heap.h"

namespace heapledger::runtime {
namespace {

// What the calls of one thread add up to, counted by the test itself.
struct Sum {
  uint64_t calls = 0;
  uint64_t resizes = 0;
  uint64_t frees = 0;
  uint64_t bytes = 0;
  uint64_t live_bytes = 0;
  uint64_t live_blocks = 0;
};

// Called as if from malloc itself: a frame about which nothing is known.
#define kHere reinterpret_cast<uint64_t>(&malloc), here(), here()

uint64_t here() {
  return reinterpret_cast<uint64_t>(__builtin_frame_address(0));
}

class Trace : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("heapledger-unit-" + std::to_string(getpid()) + "-" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directory(folder_);
    real_heap = {::malloc,        ::free,     ::calloc, ::realloc, ::posix_memalign,
                 ::aligned_alloc, ::memalign, ::valloc, ::pvalloc, ::malloc_usable_size};
    ASSERT_TRUE(settings_in_force.out.set((folder_ / "%p.ledger").c_str()));
    ASSERT_TRUE(begin_recording());
  }

  void TearDown() override { std::filesystem::remove_all(folder_); }

  test::Analysis analysis(int pid = getpid()) const {
    std::vector<std::string> paths = {folder_ / (std::to_string(pid) + ".ledger")};
    return test::analyze(paths);
  }

  std::filesystem::path folder_;
};

// A random history of one thread; leaves some blocks behind.
Sum work(unsigned seed, unsigned operations) {
  std::mt19937 random(seed);
  Sum sum;
  struct Block {
    void* at;
    size_t size;
  };
  std::vector<Block> blocks;
  for (unsigned i = 0; i < operations; ++i) {
    size_t size = random() % 300;
    size_t pick = blocks.empty() ? 0 : random() % blocks.size();
    switch (random() % 6) {
      case 0:
      case 1:
        blocks.push_back({kTraceMode.malloc(size, kHere), size});
        break;
      case 2:
        blocks.push_back({kTraceMode.calloc(3, size, kHere), 3 * size});
        break;
      case 3:
        blocks.push_back({kTraceMode.memalign(64, size, kHere), size});
        break;
      case 4:
        if (blocks.empty()) continue;
        sum.live_bytes -= blocks[pick].size;
        --sum.live_blocks;
        ++sum.resizes;
        blocks.push_back({kTraceMode.realloc(blocks[pick].at, size + 1, kHere), size + 1});
        blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(pick));
        break;
      default:
        if (blocks.empty()) continue;
        kTraceMode.free(blocks[pick].at, kHere);
        sum.live_bytes -= blocks[pick].size;
        --sum.live_blocks;
        ++sum.frees;
        blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(pick));
        continue;
    }
    ++sum.calls;
    ++sum.live_blocks;
    sum.bytes += blocks.back().size;
    sum.live_bytes += blocks.back().size;
  }
  for (const Block& block : blocks) real_heap.free(block.at);  // not part of the history
  return sum;
}

void expect_same(const Totals& totals, const Sum& sum) {
  EXPECT_EQ(totals.calls, sum.calls);
  EXPECT_EQ(totals.resizes, sum.resizes);
  EXPECT_EQ(totals.frees, sum.frees);
  EXPECT_EQ(totals.bytes, sum.bytes);
  EXPECT_EQ(totals.missed, 0u);
}

// docs/design/recording.md: each twice as long as the one before and one more, at most 31; after
// 3 µs halved, after eight times that from the beginning.
TEST(UnstampedRuns, GrowWithABurstAndEndWithIt) {
  uint32_t next = 0;
  std::vector<uint32_t> runs;
  auto stamped_after = [&](uint64_t ns) {
    runs.push_back(unstamped_run(next, os::rough_units(ns)));
  };
  for (int i = 0; i < 7; ++i) stamped_after(1000);
  EXPECT_EQ(runs, (std::vector<uint32_t>{0, 1, 3, 7, 15, 31, 31}));
  runs.clear();
  for (uint64_t ns : std::vector<uint64_t>{5000, 1000, 1000, 100'000, 1000, 1000}) {
    stamped_after(ns);
  }
  EXPECT_EQ(runs, (std::vector<uint32_t>{0, 15, 31, 0, 0, 1}));
}

TEST_F(Trace, AResizeInABurstHasTheTimeOfTheEntryBefore) {
  void* block = kTraceMode.malloc(10, kHere);
  Window& window = *thread_slot.window;
  const uint64_t time = window.encoder.time;
  window.unstamped = 1;
  block = kTraceMode.realloc(block, 20, kHere);
  window.unstamped = 1;
  void* other = kTraceMode.realloc(nullptr, 30, kHere);
  EXPECT_EQ(window.encoder.time, time);
  EXPECT_EQ(window.unstamped, 0u);
  window.unstamped = 1;
  block = kTraceMode.realloc(block, 4096, kHere);
  EXPECT_GT(window.encoder.time, time);
  test::Analysis result = analysis();
  expect_same(result.totals, {4, 2, 0, 10 + 20 + 30 + 4096, 4096 + 30, 2});
  EXPECT_EQ(result.totals.end_bytes, 4096u + 30);
  EXPECT_EQ(result.totals.end_blocks, 2u);
  EXPECT_TRUE(result.complete());
  real_heap.free(block);
  real_heap.free(other);
}

TEST_F(Trace, OneThread) {
  Sum sum = work(1, 50'000);
  test::Analysis result = analysis();
  expect_same(result.totals, sum);
  EXPECT_EQ(result.totals.end_bytes, sum.live_bytes);
  EXPECT_EQ(result.totals.end_blocks, sum.live_blocks);
  EXPECT_TRUE(result.complete());
}

TEST_F(Trace, ManyThreads) {
  // Everybody has a window before anybody is done: a window that is handed on by the kernel's word
  // that its thread is gone looks like a race to the thread sanitizer.
  std::vector<Sum> sums(8);
  std::latch attached(8);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < sums.size(); ++t) {
    threads.emplace_back([&sums, &attached, t] {
      kTraceMode.free(kTraceMode.malloc(1, kHere), kHere);
      attached.arrive_and_wait();
      sums[t] = work(t, 20'000);
    });
  }
  for (std::thread& thread : threads) thread.join();
  Sum all = {8, 0, 8, 8, 0, 0};
  for (const Sum& sum : sums) {
    all.calls += sum.calls;
    all.resizes += sum.resizes;
    all.frees += sum.frees;
    all.bytes += sum.bytes;
  }
  test::Analysis result = analysis();
  expect_same(result.totals, all);
  EXPECT_TRUE(result.complete());
}

// Threads that come one after the other share a window: the file does not grow with them.
TEST_F(Trace, WindowsAreHandedOn) {
  for (int i = 0; i < 300; ++i) {
    std::thread([] { kTraceMode.free(kTraceMode.malloc(10, kHere), kHere); }).join();
  }
  test::Analysis result = analysis();
  EXPECT_EQ(result.totals.calls, 300u);
  EXPECT_EQ(result.totals.temporary_calls, 300u);
  EXPECT_EQ(result.ledgers.at(0).threads.size(), 301u);
  EXPECT_LE(result.ledgers.at(0).windows, 8u);
}

TEST_F(Trace, ForkedChildHasItsOwnLedgerAndInherits) {
  void* inherited = kTraceMode.malloc(1000, kHere);
  pid_t child = fork();
  if (child == 0) {
    kTraceMode.free(inherited, kHere);
    kTraceMode.malloc(77, kHere);
    _exit(0);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  void* later = kTraceMode.malloc(5, kHere);
  test::Analysis parent = analysis();
  EXPECT_EQ(parent.totals.calls, 2u);
  EXPECT_EQ(parent.totals.frees, 0u);
  test::Analysis forked = analysis(child);
  EXPECT_EQ(forked.totals.calls, 1u);
  EXPECT_EQ(forked.totals.end_bytes, 77u);
  EXPECT_EQ(forked.totals.inherited_frees, 1u);
  EXPECT_EQ(forked.ledgers.at(0).inherited_blocks, 1u);
  EXPECT_EQ(forked.ledgers.at(0).inherited_bytes, 1000u);
  real_heap.free(inherited);
  real_heap.free(later);
}

TEST_F(Trace, StoppedRecordingCountsWhatItMisses) {
  std::vector<void*> blocks = {kTraceMode.malloc(1, kHere)};
  stop_recording(format::StopReason::kDiskFull, 28);
  for (int i = 0; i < 10; ++i) blocks.push_back(kTraceMode.malloc(1, kHere));
  test::Analysis result = analysis();
  EXPECT_EQ(result.totals.calls, 1u);
  EXPECT_EQ(result.totals.missed, 10u);
  EXPECT_TRUE(result.ledgers.at(0).stopped.has_value());
  for (void* block : blocks) real_heap.free(block);
  EXPECT_FALSE(result.complete());
}

TEST_F(Trace, FailedAndEmptyCallsLeaveNoEntry) {
  real_heap.malloc = [](size_t) -> void* { return nullptr; };
  EXPECT_EQ(kTraceMode.malloc(1, kHere), nullptr);
  EXPECT_EQ(kTraceMode.reallocarray(nullptr, SIZE_MAX, 16, kHere), nullptr);
  kTraceMode.free(nullptr, kHere);
  test::Analysis result = analysis();
  EXPECT_EQ(result.totals.calls + result.totals.frees, 0u);
}

}  // namespace
}  // namespace heapledger::runtime
