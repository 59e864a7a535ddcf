// Random histories of several threads against a model that does everything the slow and obvious
// way: all figures of all sites must agree to the last byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "analyze_bytes.h"
#include "ledger_builder.h"

namespace heapledger {
namespace {

using test::Analysis;
using test::Group;
using test::LedgerBuilder;

constexpr unsigned kThreads = 4;
constexpr unsigned kSites = 9;

struct Figures {
  uint64_t calls = 0, frees = 0, resizes = 0, bytes = 0, temporary = 0;
  uint64_t live_bytes = 0, live_blocks = 0;
  uint64_t peak_bytes = 0, peak_blocks = 0, peak_time = 0;
  uint64_t at_peak_bytes = 0, at_peak_blocks = 0;
};

struct Block {
  uint64_t size;
  unsigned site;
};

// Keeps a copy of every site's figures at each new peak.
class Model {
 public:
  void born(uint64_t time, unsigned thread, uint64_t address, uint64_t size, unsigned site) {
    blocks_[address] = {size, site};
    last_[thread] = address;
    for (Figures* f : {&all, &sites[site]}) {
      ++f->calls;
      f->bytes += size;
      ++f->live_blocks;
      f->live_bytes += size;
      if (f->live_bytes <= f->peak_bytes) continue;
      f->peak_bytes = f->live_bytes;
      f->peak_blocks = f->live_blocks;
      f->peak_time = time;
      if (f != &all) continue;
      peak_is_new_ = true;
    }
    if (!peak_is_new_) return;
    peak_is_new_ = false;
    for (auto& [id, f] : sites) {
      f.at_peak_bytes = f.live_bytes;
      f.at_peak_blocks = f.live_blocks;
    }
  }

  void died(unsigned thread, uint64_t address, bool by_resize) {
    Block block = blocks_.at(address);
    blocks_.erase(address);
    bool temporary = !by_resize && last_[thread] == address;
    last_[thread] = 0;
    for (Figures* f : {&all, &sites[block.site]}) {
      --f->live_blocks;
      f->live_bytes -= block.size;
      f->frees += by_resize ? 0 : 1;
      f->temporary += temporary ? 1 : 0;
    }
  }

  void resized(unsigned site) {
    ++all.resizes;
    ++sites[site].resizes;
  }

  // The peak of all comes after the site's own figures in born(), so shares are taken here.
  Figures all;
  std::map<unsigned, Figures> sites;

 private:
  std::map<uint64_t, Block> blocks_;
  std::map<unsigned, uint64_t> last_;
  bool peak_is_new_ = false;
};

// Makes up a history; at most one thread does something at a time, with a stamp of its own.
class Story {
 public:
  Story(uint64_t seed, LedgerBuilder& ledger) : random_(seed), ledger_(ledger) {
    for (unsigned t = 0; t < kThreads; ++t) ledger_.window(t).thread(0, t, 100 + t, "worker");
    for (unsigned s = 1; s <= kSites; ++s) ledger_.window(0).site(0, s, 0, 0, pc_of(s));
  }

  static uint64_t pc_of(unsigned site) { return 0x4000 + site; }

  void step(Model& model) {
    time_ += 1 + random_() % 100;
    unsigned thread = static_cast<unsigned>(random_() % kThreads);
    unsigned site = 1 + static_cast<unsigned>(random_() % kSites);
    uint64_t size = random_() % 8 == 0 ? random_() % 100'000 : random_() % 200;
    auto& window = ledger_.window(thread);
    unsigned what = static_cast<unsigned>(random_() % 10);
    if (live_.empty() || what < 5 - (growing() ? 0u : 2u)) {
      uint64_t address = fresh();
      window.malloc(time_, address, size, site);
      model.born(time_, thread, address, size, site);
      live_.push_back(address);
    } else if (what < 8) {
      uint64_t address = take();
      window.free(time_, address);
      model.died(thread, address, false);
      unused_.push_back(address);
    } else {
      uint64_t old = take();
      uint64_t begin = time_;
      time_ += random_() % 50;
      uint64_t address = random_() % 3 == 0 ? old : fresh();
      window.resize(begin, old, time_, address, size, site);
      model.died(thread, old, true);
      model.resized(site);
      model.born(time_, thread, address, size, site);
      if (address != old) unused_.push_back(old);
      live_.push_back(address);
    }
    if (random_() % 500 == 0) window.flush();
  }

 private:
  bool growing() const { return time_ / 20'000 % 2 == 0; }

  uint64_t fresh() {
    if (unused_.empty() || random_() % 4 == 0) return next_ += 16 * (1 + random_() % 8);
    uint64_t address = unused_.back();
    unused_.pop_back();
    return address;
  }

  // Often the newest, so that temporary blocks happen.
  uint64_t take() {
    size_t at = random_() % 2 == 0 ? live_.size() - 1 : random_() % live_.size();
    uint64_t address = live_[at];
    live_.erase(live_.begin() + static_cast<long>(at));
    return address;
  }

  std::mt19937_64 random_;
  LedgerBuilder& ledger_;
  uint64_t time_ = 0;
  uint64_t next_ = 0x7f0000000000;
  std::vector<uint64_t> live_;
  std::vector<uint64_t> unused_;
};

void expect_same(const auto& is, const Figures& should) {
  EXPECT_EQ(is.calls, should.calls);
  EXPECT_EQ(is.frees, should.frees);
  EXPECT_EQ(is.resizes, should.resizes);
  EXPECT_EQ(is.bytes, should.bytes);
  EXPECT_EQ(is.temporary_calls, should.temporary);
  EXPECT_EQ(is.peak_bytes, should.peak_bytes);
  EXPECT_EQ(is.peak_blocks, should.peak_blocks);
  EXPECT_EQ(is.peak_time_ns, should.peak_time);
  EXPECT_EQ(is.end_bytes, should.live_bytes);
  EXPECT_EQ(is.end_blocks, should.live_blocks);
}

class ModelTest : public testing::TestWithParam<uint64_t> {};

TEST_P(ModelTest, AllFiguresAgree) {
  LedgerBuilder ledger;
  Story story(GetParam(), ledger);
  Model model;
  for (int i = 0; i < 4'000; ++i) story.step(model);
  Analysis a = test::analyze_bytes(ledger.bytes());

  EXPECT_TRUE(a.complete());
  expect_same(a.totals, model.all);
  std::map<uint64_t, const Group*> by_pc;
  for (const Group& group : a.groups) by_pc[a.frames(group)[0].pc] = &group;
  ASSERT_EQ(by_pc.size(), model.sites.size());
  uint64_t shares = 0;
  for (const auto& [site, figures] : model.sites) {
    const Group& group = *by_pc.at(Story::pc_of(site));
    expect_same(group, figures);
    EXPECT_EQ(group.at_peak_bytes, figures.at_peak_bytes);
    EXPECT_EQ(group.at_peak_blocks, figures.at_peak_blocks);
    shares += group.at_peak_bytes;
  }
  EXPECT_EQ(shares, a.totals.peak_bytes);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ModelTest, testing::Range<uint64_t>(0, 40));

}  // namespace
}  // namespace heapledger
