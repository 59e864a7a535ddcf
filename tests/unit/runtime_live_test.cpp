// Live mode called directly, so that it also runs under the sanitizers: blocks that go from thread
// to thread, and the tables read while that goes on.
#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <latch>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "format/live_tables.h"
#include "runtime/bootstrap/recording.h"
#include "runtime/ledger/live_image.h"
#include "runtime/ledger/settings_in_force.h"
#include "runtime/modes/live_blocks.h"
#include "runtime/modes/mode.h"
#include "runtime/modes/real_heap.h"

namespace heapledger::runtime {
namespace {

using format::LiveRecord;

uint64_t here() {
  return reinterpret_cast<uint64_t>(__builtin_frame_address(0));
}
#define kHere reinterpret_cast<uint64_t>(&malloc), here(), here()

uint32_t word(const uint32_t& place) {
  return __atomic_load_n(&place, __ATOMIC_ACQUIRE);
}

// Address and size of all that the tables hold; those of other tests that came before among them.
std::map<uint64_t, uint64_t> table() {
  std::map<uint64_t, uint64_t> blocks;
  const format::LiveTable& described = live_header->tables[0];
  uint64_t used = __atomic_load_n(&described.used, __ATOMIC_ACQUIRE);
  for (uint64_t i = 0; i < used; ++i) {
    uint64_t part = live_block_places[i / described.part_items].load(std::memory_order_acquire);
    const LiveRecord& record = reinterpret_cast<LiveRecord*>(part)[i % described.part_items];
    uint64_t high = word(record.address_high_thread) & 0xFFF;
    uint64_t address = (word(record.address_low) | high << 32) << 3;
    if (address == 0) continue;
    uint64_t size_high = word(record.site_size_high) >> format::kLiveSiteBits;
    blocks[address] = word(record.size_low) | size_high << 32;
  }
  return blocks;
}

class Live : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("heapledger-unit-" + std::to_string(getpid()) + "-" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directory(folder_);
    real_heap = {::malloc,        ::free,     ::calloc, ::realloc, ::posix_memalign,
                 ::aligned_alloc, ::memalign, ::valloc, ::pvalloc, ::malloc_usable_size};
    ASSERT_TRUE(settings_in_force.out.set((folder_ / "%p.ledger").c_str()));
    settings_in_force.mode = settings::Mode::kLive;
    forget_live_records(true);  // of a test before, whose tables are not those of this one
    ASSERT_TRUE(begin_recording());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

// The blocks that are alive, shared by all threads: each takes one out, or puts one in.
class Exchange {
 public:
  void run(unsigned seed, unsigned operations) {
    std::mt19937 random(seed);
    for (unsigned i = 0; i < operations; ++i) {
      std::atomic<void*>& place = places_[random() % kPlaces];
      size_t size = random() % 1000;
      void* block = kLiveMode.malloc(size, kHere);
      if (random() % 3 == 0) block = kLiveMode.realloc(block, size + 1, kHere);
      block = place.exchange(block, std::memory_order_acq_rel);
      if (block != nullptr) kLiveMode.free(block, kHere);
    }
  }

  // Of one thread that is alone.
  std::map<uint64_t, uint64_t> usable() const {
    std::map<uint64_t, uint64_t> blocks;
    for (const std::atomic<void*>& place : places_) {
      void* block = place.load(std::memory_order_acquire);
      if (block != nullptr) blocks[reinterpret_cast<uint64_t>(block)] = malloc_usable_size(block);
    }
    return blocks;
  }

 private:
  static constexpr unsigned kPlaces = 5000;
  std::atomic<void*> places_[kPlaces] = {};
};

TEST_F(Live, BlocksThatGoFromThreadToThread) {
  static Exchange exchange;
  constexpr unsigned kThreads = 4;
  std::latch ready(kThreads + 1);
  std::atomic<unsigned> running{kThreads};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i) {
    threads.emplace_back([i, &ready, &running] {
      ready.arrive_and_wait();
      exchange.run(i, 20'000);
      running.fetch_sub(1);
    });
  }
  ready.arrive_and_wait();
  uint64_t looks = 0;
  while (running.load() > 0) {
    for (const auto& [address, size] : table()) EXPECT_LE(size, 1'000u) << address;
    ++looks;
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(looks, 0u);

  std::map<uint64_t, uint64_t> held = exchange.usable();
  std::map<uint64_t, uint64_t> known = table();
  EXPECT_GT(held.size(), 4000u);
  for (const auto& [address, room] : held) {
    ASSERT_TRUE(known.contains(address));
    EXPECT_LE(known[address], room);
    known.erase(address);
  }
  EXPECT_TRUE(known.empty()) << known.size() << " blocks that nobody holds";
}

TEST_F(Live, TheIndexGrowsAndFindsEverything) {
  constexpr uint64_t kBlocks = 300'000;
  constexpr uint64_t kBase = uint64_t{1} << 40;
  for (uint64_t i = 0; i < kBlocks; ++i) {
    ASSERT_TRUE(add_live_record(nullptr, {kBase + i * 16, i, 0, 0, 0}));
  }
  for (uint64_t i = 0; i < kBlocks; ++i) {
    LiveFacts facts;
    LivePlace place = find_live_record(kBase + i * 16);
    ASSERT_TRUE(place) << i;
    if (i % 3 != 0) continue;
    ASSERT_TRUE(remove_live_record(nullptr, place, facts));
    EXPECT_EQ(facts.size, i);
    EXPECT_FALSE(remove_live_record(nullptr, place, facts)) << "twice";
  }
  for (uint64_t i = 0; i < kBlocks; ++i) {
    EXPECT_EQ(static_cast<bool>(find_live_record(kBase + i * 16)), i % 3 != 0);
  }
  EXPECT_FALSE(find_live_record(kBase - 16));
}

TEST_F(Live, LargeSizesAndAddresses) {
  constexpr uint64_t kTop = (uint64_t{1} << 47) - 8;
  for (uint64_t size : {uint64_t{0}, uint64_t{1} << 32, (uint64_t{1} << 38) + 5}) {
    ASSERT_TRUE(add_live_record(nullptr, {kTop, size, 7, 3, 9}));
    LiveFacts facts;
    ASSERT_TRUE(remove_live_record(nullptr, find_live_record(kTop), facts));
    EXPECT_EQ(facts.size, size);
    EXPECT_EQ(facts.site, 7u);
  }
}

}  // namespace
}  // namespace heapledger::runtime
