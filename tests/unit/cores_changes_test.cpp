// What changes from one reading of a live heap to the next, in heaps made by hand.
#include <gtest/gtest.h>

#include <map>

#include "change_of.h"
#include "cores/live_changes.h"

namespace heapledger::cores {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

// Sites 1 to 4, of which 1 is a frame outside the others and never allocates.
class Heap {
 public:
  explicit Heap(uint64_t seconds) {
    heap_.now_ns = seconds * kSecond;
    heap_.has_accounts = true;
    heap_.sites.resize(5);
  }
  Heap& account(uint32_t site, uint64_t calls, uint64_t bytes) {
    heap_.sites[site].calls = calls;
    heap_.sites[site].bytes = bytes;
    return *this;
  }
  Heap& blocks(uint32_t site, uint64_t count, uint64_t size) {
    for (uint64_t i = 0; i < count; ++i) heap_.blocks.push_back({next_ += 4096, size, 0, site, 1});
    return *this;
  }
  LiveHeap& heap() { return heap_; }

 private:
  LiveHeap heap_;
  uint64_t next_ = 0x10000;
};

std::map<uint32_t, Change> by_site(const LiveChanges& changes) {
  std::map<uint32_t, Change> all;
  for (const SiteChange& site : changes.sites()) all[site.site] = site.change;
  return all;
}

TEST(CoresChanges, TheFirstReadingHasNoGrowthAndNoRates) {
  LiveChanges changes;
  changes.add(Heap(5).account(2, 10, 1000).blocks(2, 3, 100).heap());
  std::map<uint32_t, Change> sites = by_site(changes);
  ASSERT_EQ(sites.size(), 1u);
  EXPECT_EQ(sites[2].live_bytes, 300u);
  EXPECT_EQ(sites[2].live_blocks, 3u);
  EXPECT_EQ(sites[2].growth, 0);
  EXPECT_EQ(sites[2].calls, 0u);
  EXPECT_EQ(sites[2].history, std::vector<uint64_t>{300});
  EXPECT_FALSE(changes.has_rates());
  EXPECT_EQ(changes.interval_ns(), 0u);
}

TEST(CoresChanges, GrowthIsSinceTheReadingBeforeAndSinceTheFirst) {
  LiveChanges changes;
  changes.add(Heap(1).blocks(2, 1, 100).blocks(3, 10, 8).heap());
  changes.add(Heap(2).blocks(2, 4, 100).blocks(3, 5, 8).heap());
  changes.add(Heap(4).blocks(2, 9, 100).blocks(3, 2, 8).heap());
  std::map<uint32_t, Change> sites = by_site(changes);
  EXPECT_EQ(sites[2].growth, 500);
  EXPECT_EQ(sites[2].growth_since_first, 800);
  EXPECT_EQ(sites[3].growth, -24);
  EXPECT_EQ(sites[3].growth_since_first, -64);
  EXPECT_EQ(changes.total().live_bytes, 916u);
  EXPECT_EQ(changes.total().live_blocks, 11u);
  EXPECT_EQ(changes.total().growth, 476);
  EXPECT_EQ(changes.total().growth_since_first, 736);
  EXPECT_EQ(changes.interval_ns(), 2 * kSecond);
  EXPECT_EQ(changes.since_first_ns(), 3 * kSecond);
}

TEST(CoresChanges, AllocationsAreDifferencesOfTheAccounts) {
  LiveChanges changes;
  changes.add(Heap(1).account(2, 10, 1000).account(3, 7, 70).blocks(3, 1, 10).heap());
  changes.add(Heap(3).account(2, 50, 5000).account(3, 7, 70).blocks(3, 1, 10).heap());
  ASSERT_TRUE(changes.has_rates());
  std::map<uint32_t, Change> sites = by_site(changes);
  EXPECT_EQ(sites[2].calls, 40u) << "nothing of it is live, but it allocates";
  EXPECT_EQ(sites[2].bytes, 4000u);
  EXPECT_EQ(sites[3].calls, 0u);
  EXPECT_EQ(changes.total().calls, 40u);
  EXPECT_DOUBLE_EQ(per_second(4000, changes.interval_ns()), 2000.0);
  changes.add(Heap(4).account(2, 50, 5000).account(3, 7, 70).blocks(3, 1, 10).heap());
  EXPECT_EQ(by_site(changes).count(2), 0u) << "it does nothing any more";
  EXPECT_EQ(changes.total().calls, 0u);
}

TEST(CoresChanges, NewSitesHaveGrownFromNothing) {
  LiveChanges changes;
  changes.add(Heap(1).blocks(2, 1, 100).heap());
  Heap later(2);
  later.heap().sites.resize(8);
  changes.add(later.account(7, 2, 80).blocks(2, 1, 100).blocks(7, 2, 40).heap());
  Change fresh = by_site(changes)[7];
  EXPECT_EQ(fresh.growth, 80);
  EXPECT_EQ(fresh.growth_since_first, 80);
  EXPECT_EQ(fresh.calls, 2u);
  EXPECT_EQ(fresh.history, (std::vector<uint64_t>{0, 80}));
}

TEST(CoresChanges, SitesThatAreEmptyNowStayAsLongAsTheyHaveShrunk) {
  LiveChanges changes;
  changes.add(Heap(1).blocks(2, 1, 100).heap());
  changes.add(Heap(2).blocks(4, 1, 5).heap());
  changes.add(Heap(3).heap());
  changes.add(Heap(4).heap());
  std::map<uint32_t, Change> sites = by_site(changes);
  ASSERT_EQ(sites.size(), 1u) << "the other has neither, then nor now";
  EXPECT_EQ(sites[2].growth_since_first, -100);
  EXPECT_EQ(changes.total().growth_since_first, -100);
}

TEST(CoresChanges, HistoriesKeepTheLastReadings) {
  LiveChanges changes(3);
  for (uint64_t i = 1; i <= 5; ++i) changes.add(Heap(i).blocks(2, i, 10).blocks(0, 1, 1).heap());
  EXPECT_EQ(by_site(changes)[2].history, (std::vector<uint64_t>{30, 40, 50}));
  EXPECT_EQ(changes.total().history, (std::vector<uint64_t>{31, 41, 51}));
}

TEST(CoresChanges, BlocksOfUnknownSitesCountAsThoseWithoutAStack) {
  LiveChanges changes;
  changes.add(Heap(1).blocks(99, 2, 10).blocks(0, 1, 5).heap());
  EXPECT_EQ(by_site(changes)[0].live_bytes, 25u);
}

TEST(CoresChanges, SamplesStandForAllAndHaveNoRates) {
  LiveChanges changes;
  for (uint64_t second : {1u, 2u}) {
    Heap heap(second);
    heap.heap().sample_calls = 10;
    heap.heap().has_accounts = false;
    changes.add(heap.blocks(2, 3, 100).heap());
  }
  EXPECT_TRUE(changes.estimated());
  EXPECT_FALSE(changes.has_rates());
  EXPECT_EQ(changes.total().live_blocks, 30u);
  EXPECT_EQ(changes.total().live_bytes, 3000u);
  EXPECT_EQ(changes.total().growth, 0);
}

TEST(CoresChanges, ChangesAddUp) {
  Change one = change_of({10, 1, -5, 7, 2, 20, {1, 10}});
  one.add(change_of({100, 2, 50, 1, 3, 300, {0, 50, 100}}));
  EXPECT_EQ(one.live_bytes, 110u);
  EXPECT_EQ(one.live_blocks, 3u);
  EXPECT_EQ(one.growth, 45);
  EXPECT_EQ(one.growth_since_first, 8);
  EXPECT_EQ(one.calls, 5u);
  EXPECT_EQ(one.bytes, 320u);
  EXPECT_EQ(one.history, (std::vector<uint64_t>{0, 51, 110}));
}

}  // namespace
}  // namespace heapledger::cores
