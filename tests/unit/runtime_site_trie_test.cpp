// The trie of sites: stable ids, right under concurrency, growing past its first level.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <thread>
#include <vector>

#include "runtime/unwind/site_trie.h"

namespace heapledger::runtime {
namespace {

uint32_t intern(uint32_t parent, uint64_t pc) {
  uint32_t found = find_site(parent, pc);
  return found != kNoSite ? found : publish_sites(reserve_sites(1), 1, parent, pc, 0);
}

class SiteTrie : public testing::Test {
 protected:
  void SetUp() override { forget_sites(); }
};

TEST_F(SiteTrie, UnknownIsNoSite) {
  EXPECT_EQ(find_site(0, 0x1234), kNoSite);
}

TEST_F(SiteTrie, ParentAndAddressTellSitesApart) {
  uint32_t a = intern(0, 0x1000);
  uint32_t b = intern(a, 0x1000);
  uint32_t c = intern(0, 0x1010);
  EXPECT_EQ(std::set<uint32_t>({a, b, c}).size(), 3u);
  EXPECT_EQ(intern(0, 0x1000), a);
  EXPECT_EQ(intern(a, 0x1000), b);
  EXPECT_EQ(intern(0, 0x1010), c);
}

TEST_F(SiteTrie, GrowsPastItsFirstLevels) {
  constexpr uint32_t kSites = 200'000;  // the first two levels have room for 36,864
  std::vector<uint32_t> ids;
  for (uint32_t i = 0; i < kSites; ++i) ids.push_back(intern(i % 7, 0x400000 + i * 3));
  EXPECT_EQ(std::set<uint32_t>(ids.begin(), ids.end()).size(), kSites);
  for (uint32_t i = 0; i < kSites; ++i) ASSERT_EQ(find_site(i % 7, 0x400000 + i * 3), ids[i]) << i;
}

// A run of three below `parent`, as a new stack has it.
uint32_t intern_run(uint32_t parent, uint64_t pc) {
  uint32_t first = reserve_sites(3);
  fill_site(first + 2, first + 1, pc + 2, 0);
  fill_site(first + 1, first, pc + 1, 0);
  return publish_sites(first, 3, parent, pc, 0);
}

TEST_F(SiteTrie, ARunIsFoundNodeByNodeWhateverTheTableDoes) {
  constexpr uint32_t kRuns = 30'000;  // the first table is half full with 16,384
  std::vector<uint32_t> firsts;
  for (uint32_t i = 0; i < kRuns; ++i) firsts.push_back(intern_run(i % 7, 0x400000 + i * 8));
  for (uint32_t i = 0; i < kRuns; ++i) {
    const uint64_t pc = 0x400000 + i * 8;
    ASSERT_EQ(find_site(i % 7, pc), firsts[i]) << i;
    ASSERT_EQ(find_site(firsts[i], pc + 1), firsts[i] + 1) << i;
    ASSERT_EQ(find_site(firsts[i] + 1, pc + 2), firsts[i] + 2) << i;
    ASSERT_EQ(find_site(firsts[i], pc + 2), kNoSite) << i;
  }
}

TEST_F(SiteTrie, NothingIsLostWhenLongRunsAreFollowedByShortOnes) {
  constexpr uint32_t kLong = 32, kRuns = 17'000, kSingles = 400'000;
  uint64_t pc = 0x400000;
  for (uint32_t i = 0; i < kRuns; ++i, pc += kLong) {
    uint32_t first = reserve_sites(kLong);
    for (uint32_t at = kLong; at-- > 1;) fill_site(first + at, first + at - 1, pc + at, 0);
    publish_sites(first, kLong, 7, pc, 0);
  }
  std::vector<uint32_t> singles;
  for (uint32_t i = 0; i < kSingles; ++i) singles.push_back(intern(9, pc + i));
  for (uint32_t i = 0; i < kSingles; ++i) ASSERT_EQ(find_site(9, pc + i), singles[i]) << i;
}

TEST_F(SiteTrie, ARunThatSomebodyElseHasBorneIsTheirs) {
  uint32_t theirs = intern_run(0, 0x1000);
  uint32_t ours = intern_run(0, 0x1000);
  EXPECT_EQ(ours, theirs);
  EXPECT_EQ(find_site(0, 0x1000), theirs);
  EXPECT_EQ(find_site(theirs + 1, 0x1002), theirs + 2);
}

TEST_F(SiteTrie, AForgottenNodeOfARunIsBornAgain) {
  uint32_t first = intern_run(0, 0x2000);
  forget_range(0x2001, 0x2002);
  EXPECT_EQ(find_site(0, 0x2000), first);
  EXPECT_EQ(find_site(first, 0x2001), kNoSite);
  uint32_t again = intern(first, 0x2001);
  EXPECT_NE(again, first + 1);
  EXPECT_EQ(find_site(first, 0x2001), again);
}

// What four threads call the same sites, each of which is new to whoever comes first.
std::vector<std::vector<uint32_t>> ids_of_threads(uint32_t sites) {
  constexpr unsigned kThreads = 4;
  std::vector<std::vector<uint32_t>> ids(kThreads, std::vector<uint32_t>(sites));
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kThreads; ++t) {
    threads.emplace_back([&ids, t, sites] {
      for (uint32_t i = 0; i < sites; ++i) {
        uint32_t which = t % 2 == 0 ? i : sites - 1 - i;
        ids[t][which] = intern(0, 0x500000 + which * 16);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return ids;
}

TEST_F(SiteTrie, ThreadsAgreeOnIds) {
  constexpr uint32_t kSites = 10'000;  // the first table takes 16,384
  std::vector<std::vector<uint32_t>> ids = ids_of_threads(kSites);
  for (size_t t = 1; t < ids.size(); ++t) EXPECT_EQ(ids[t], ids[0]) << t;
  EXPECT_EQ(std::set<uint32_t>(ids[0].begin(), ids[0].end()).size(), kSites);
}

// At the moment when the table doubles, threads that look at the old and the new one may both
// bear a node: few have two ids, and no id has two nodes.
TEST_F(SiteTrie, ThreadsNearlyAgreeWhenTheTableDoubles) {
  constexpr uint32_t kSites = 20'000;
  std::vector<std::vector<uint32_t>> ids = ids_of_threads(kSites);
  std::map<uint32_t, uint32_t> site_of_id;
  for (const std::vector<uint32_t>& of_thread : ids) {
    for (uint32_t site = 0; site < kSites; ++site) {
      auto [known, is_new] = site_of_id.emplace(of_thread[site], site);
      EXPECT_EQ(known->second, site) << "id " << of_thread[site];
    }
  }
  EXPECT_GE(site_of_id.size(), kSites);
  EXPECT_LE(site_of_id.size(), kSites + kSites / 20);
}

TEST_F(SiteTrie, UnloadedCodeIsForgottenAndTheRestIsNot) {
  uint32_t gone = intern(0, 0x2000);
  uint32_t first_kept = intern(0, 0x1fff);
  uint32_t last_kept = intern(0, 0x3000);
  forget_range(0x2000, 0x3000);
  EXPECT_EQ(find_site(0, 0x2000), kNoSite);
  EXPECT_NE(intern(0, 0x2000), gone);
  EXPECT_EQ(find_site(0, 0x1fff), first_kept);
  EXPECT_EQ(find_site(0, 0x3000), last_kept);
}

}  // namespace
}  // namespace heapledger::runtime
