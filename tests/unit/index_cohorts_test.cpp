// The plane of births and ends, and rectangles of it: what single blocks, one after the other, add
// up to.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>

#include "analyzer/query.h"
#include "query_asker.h"

namespace heapledger {
namespace {

using test::World;
using What = BlockEvent::What;

struct Sum {
  uint64_t blocks = 0;
  uint64_t bytes = 0;
  bool operator==(const Sum&) const = default;
};

class IndexCohorts : public testing::TestWithParam<uint64_t> {
 protected:
  IndexCohorts() {
    std::vector<Ledgers::Opener> openers;
    for (const std::string& bytes : world_.files()) {
      openers.emplace_back([bytes] { return in_memory("one", bytes); });
    }
    ledgers_ = std::make_unique<Ledgers>(std::move(openers), Options());
    ledgers_->use_symbols(&world_.symbols());
    EXPECT_TRUE(ledgers_->make_index());
    edges_ = ledgers_->edges();
  }

  uint32_t bucket_of(uint64_t time) const {
    return std::min(static_cast<uint32_t>(time / edges_.width_ns), edges_.count - 1);
  }

  // Every block once: its buckets, and whether it was left.
  template <typename Use>
  void for_each_block(const Question& question, const Use& use) {
    ledgers_->block_events(question, [&](const BlockEvent& event) {
      if (event.what == What::kBorn) return;
      use(bucket_of(event.birth_ns), bucket_of(event.time_ns), event.what == What::kLeft, event);
    });
  }

  World world_{GetParam(), 1 + static_cast<uint32_t>(GetParam() % 3), 3000};
  std::unique_ptr<Ledgers> ledgers_;
  Edges edges_;
};

TEST_P(IndexCohorts, PlaneIsWhatBlocksAddUpTo) {
  for (const char* filter : {"", "function=f1*"}) {
    Question question;
    question.filter = parse_filter(filter);
    for (uint32_t most : {1u, 7u, 64u, 4096u}) {
      const Cohorts plane = ledgers_->cohorts(question, most);
      EXPECT_LE(plane.count, most);
      EXPECT_EQ((edges_.count - 1) / plane.buckets_per_cell + 1, plane.count);
      std::map<std::pair<uint32_t, uint32_t>, Sum> wanted;
      for_each_block(question,
                     [&](uint32_t birth, uint32_t end, bool left, const BlockEvent& block) {
                       const uint32_t death = left ? plane.count : end / plane.buckets_per_cell;
                       Sum& sum = wanted[{birth / plane.buckets_per_cell, death}];
                       ++sum.blocks;
                       sum.bytes += block.size;
                     });
      std::map<std::pair<uint32_t, uint32_t>, Sum> is;
      for (const Cohorts::Cell& cell : plane.cells) {
        is[{cell.birth, cell.death}] = {cell.blocks, cell.bytes};
      }
      EXPECT_EQ(is, wanted);
    }
  }
}

TEST_P(IndexCohorts, RectanglesHaveTheBlocksThatAreInThem) {
  std::mt19937_64 random(GetParam());
  auto range = [&] {
    const auto a = static_cast<uint32_t>(random() % edges_.count);
    const auto b = static_cast<uint32_t>(random() % edges_.count);
    return BucketRange{std::min(a, b), std::max(a, b)};
  };
  Question question;
  question.by = GroupBy::kSite;
  question.sort = Measure::kBytes;
  for (int i = 0; i < 30; ++i) {
    Cohort cohort;
    cohort.born = range();
    if (random() % 4 != 0) cohort.died = range();
    cohort.left = random() % 2 == 0;
    Sum ended, left;
    std::map<uint32_t, uint64_t> by_site;
    for_each_block({}, [&](uint32_t birth, uint32_t end, bool is_left, const BlockEvent& block) {
      const bool is_in = is_left ? cohort.left : cohort.died && cohort.died->has(end);
      if (!cohort.born.has(birth) || !is_in) return;
      Sum& sum = is_left ? left : ended;
      ++sum.blocks;
      sum.bytes += block.size;
      by_site[block.site] += block.size;
    });
    const Answer answer = ledgers_->ask_cohort(question, cohort);
    EXPECT_TRUE(answer.from_index);
    EXPECT_EQ((Sum{answer.totals.ended_blocks, answer.totals.ended_bytes}), ended);
    EXPECT_EQ((Sum{answer.totals.live_blocks, answer.totals.live_bytes}), left);
    EXPECT_EQ(answer.totals.calls, ended.blocks + left.blocks);
    EXPECT_EQ(answer.totals.bytes, ended.bytes + left.bytes);
    std::map<uint32_t, uint64_t> rows;
    for (const Row& row : answer.rows) {
      if (row.all.calls > 0) rows[row.site] = row.all.bytes;
    }
    EXPECT_EQ(rows, by_site);
  }
}

INSTANTIATE_TEST_SUITE_P(Worlds, IndexCohorts, testing::Range<uint64_t>(1, 9));

}  // namespace
}  // namespace heapledger
