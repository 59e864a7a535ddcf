// Random questions about random histories: every figure of every group must be what the model finds
// by looking at all blocks; sums over groups must be the totals; what one view shows must be what
// another shows; parts must add up to the whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "query_asker.h"

namespace heapledger {
namespace {

using test::Block;
using test::Place;
using test::Sums;
using test::World;

using test::added;
using test::Added;
using test::Asked;
using test::Asker;
using test::blocks_of;
using test::expect_same;
using test::kAllGroups;
using test::overlaps;

class QueryModel : public testing::TestWithParam<uint64_t> {
 protected:
  QueryModel()
      : world_(GetParam(), 1 + static_cast<uint32_t>(GetParam() % 2), 700),
        ledgers_(test::open_bytes(world_.files())),
        asker_(world_, ledgers_, GetParam() + 1000) {
    ledgers_.use_symbols(&world_.symbols());
  }

  World world_;
  Ledgers ledgers_;
  Asker asker_;
};

TEST_P(QueryModel, EveryFigureOfEveryGroupAgrees) {
  for (int i = 0; i < 3; ++i) {
    Asked asked = asker_.make();
    for (GroupBy by : kAllGroups) {
      SCOPED_TRACE(asked.text + " by " + std::string(name_of(by)));
      asked.question.by = by;
      Answer answer = ledgers_.ask(asked.question);
      expect_same(answer.totals, asker_.expected(asked, [](const Block&) { return true; }), "all");
      for (const Row& row : answer.rows) {
        expect_same(row.all, asker_.expected(asked, blocks_of(by, row, world_, ledgers_, false)),
                    row.name);
        if (!overlaps(by)) continue;
        expect_same(row.self, asker_.expected(asked, blocks_of(by, row, world_, ledgers_, true)),
                    row.name + " itself");
      }
      ASSERT_FALSE(HasFailure());
    }
  }
}

TEST_P(QueryModel, SumsOverGroupsAreTheTotals) {
  Asked asked = asker_.make();
  asked.question.by = GroupBy::kNothing;
  Answer whole = ledgers_.ask(asked.question);
  for (GroupBy by : kAllGroups) {
    if (by == GroupBy::kNothing) continue;
    SCOPED_TRACE(asked.text + " by " + std::string(name_of(by)));
    asked.question.by = by;
    Answer answer = ledgers_.ask(asked.question);
    Added sum;
    for (const Row& row : answer.rows) sum.add(row.self);
    EXPECT_TRUE(sum == added(whole.totals));
    EXPECT_TRUE(added(answer.totals) == added(whole.totals));
  }
}

TEST_P(QueryModel, TreesAgreeWithTheirChildrenAndWithTheTotals) {
  Asked asked = asker_.make();
  asked.question.least_share = 0;
  for (TreeShape shape : {TreeShape::kTopDown, TreeShape::kBottomUp}) {
    asked.question.tree = shape;
    Answer answer = ledgers_.ask(asked.question);
    ASSERT_FALSE(answer.tree.empty());
    EXPECT_TRUE(added(answer.tree[0].all) == added(answer.totals)) << asked.text;
    expect_same(answer.tree[0].all, asker_.expected(asked, [](const Block&) { return true; }),
                asked.text);
    for (const TreeNode& node : answer.tree) {
      Added sum = added(node.self);
      for (uint32_t child : node.children) sum.add(answer.tree[child].all);
      EXPECT_TRUE(sum == added(node.all)) << node.name;
    }
  }
}

// A stack from a frame on, as a tree shows it.
std::string path_of(const std::vector<TreeNode>& tree, uint32_t node) {
  std::string path;
  for (; node != 0; node = tree[node].parent) path = ">" + tree[node].name + path;
  return path;
}

TEST_P(QueryModel, EveryNodeOfATreeHasTheBlocksOfItsPath) {
  Asked asked = asker_.make();
  asked.question.least_share = 0;
  asked.question.wanted = {};
  asked.question.wanted.own_peaks = true;
  for (TreeShape shape :
       {TreeShape::kTopDown, TreeShape::kBottomUp, TreeShape::kCallersOf, TreeShape::kCalleesOf}) {
    asked.question.tree = shape;
    asked.question.function = "work::run";
    Answer answer = ledgers_.ask(asked.question);
    auto path = [&](uint32_t site) {
      const std::vector<Place>& stack = world_.stack(site);
      std::vector<std::string> names;
      for (const Place& place : stack) names.push_back(place.function);
      size_t found = names.size();
      for (size_t i = 0; i < names.size(); ++i) {
        if (names[i] == "work::run()") found = i;
      }
      if (shape == TreeShape::kBottomUp) {
        names.erase(names.begin(),
                    names.begin() + static_cast<long>(world_.first_interesting(site)));
      } else if (shape == TreeShape::kTopDown) {
        std::reverse(names.begin(), names.end());
      } else if (found == names.size()) {
        return std::string("none");
      } else if (shape == TreeShape::kCallersOf) {
        names.erase(names.begin(), names.begin() + static_cast<long>(found));
      } else {
        names.resize(found + 1);
        std::reverse(names.begin(), names.end());
      }
      std::string joined;
      for (const std::string& name : names) joined += ">" + name;
      return joined + ">";
    };
    for (uint32_t i = 1; i < answer.tree.size(); ++i) {
      std::string prefix = path_of(answer.tree, i) + ">";
      expect_same(
          answer.tree[i].all,
          asker_.expected(asked, [&](const Block& b) { return path(b.site).starts_with(prefix); }),
          asked.text + prefix);
    }
  }
}

TEST_P(QueryModel, LiveAtAnyTimeIsWhatReplayToThatTimeLeaves) {
  std::mt19937_64 random(GetParam());
  for (int i = 0; i < 20; ++i) {
    uint64_t time = random() % world_.last_time();
    Question question;
    question.at = parse_moment(std::to_string(time) + "ns");
    question.by = GroupBy::kNothing;
    uint64_t bytes = 0;
    uint64_t blocks = 0;
    for (const Block& block : world_.blocks()) {
      if (block.birth_time > time || block.death_time <= time) continue;
      ++blocks;
      bytes += block.size;
    }
    Figures totals = ledgers_.ask(question).totals;
    EXPECT_EQ(totals.live_bytes, bytes) << "at " << time;
    EXPECT_EQ(totals.live_blocks, blocks) << "at " << time;
  }
}

TEST_P(QueryModel, RangesThatFollowOneAnotherAddUp) {
  std::mt19937_64 random(GetParam());
  auto ask = [&](const MomentSpec& a, const MomentSpec& b) {
    Question question;
    question.between = {a, b};
    question.by = GroupBy::kNothing;
    return ledgers_.ask(question).totals;
  };
  auto live = [&](const MomentSpec& at) {
    Question question;
    question.at = at;
    question.by = GroupBy::kNothing;
    return ledgers_.ask(question).totals.live_bytes;
  };
  uint64_t middle = random() % world_.last_time();
  MomentSpec start = parse_moment("start");
  MomentSpec half = parse_moment(std::to_string(middle) + "ns");
  MomentSpec end = parse_moment("end");
  Figures first = ask(start, half);
  Figures second = ask(half, end);
  Figures whole = ask(start, end);
  EXPECT_EQ(first.calls + second.calls, whole.calls);
  EXPECT_EQ(first.bytes + second.bytes, whole.bytes);
  EXPECT_EQ(first.frees + second.frees, whole.frees);
  EXPECT_EQ(first.ended_bytes + second.ended_bytes, whole.ended_bytes);
  EXPECT_EQ(first.moved_bytes + second.moved_bytes, whole.moved_bytes);
  EXPECT_EQ(first.bytes - first.ended_bytes, live(half));
  EXPECT_EQ(live(half) + second.bytes - second.ended_bytes, live(end));
}

TEST_P(QueryModel, AFilterAndItsOppositeAreTheWhole) {
  Question question;
  question.by = GroupBy::kNothing;
  question.wanted.lifetimes = true;
  Added whole = added(ledgers_.ask(question).totals);
  const std::pair<const char*, const char*> kParts[] = {
      {"function=parse", "function=!parse"},  {"module=app", "module=!app"},
      {"thread=worker1", "thread=!worker1"},  {"size<100", "size>=100"},
      {"lifetime<=1us", "lifetime>1us"},      {"time<20us", "time>=20us"},
      {"function=std::*", "function!=std::*"}};
  for (auto [in, out] : kParts) {
    Added sum;
    for (const char* text : {in, out}) {
      question.filter = parse_filter(text);
      sum.add(ledgers_.ask(question).totals);
    }
    EXPECT_TRUE(sum == whole) << in;
  }
}

TEST_P(QueryModel, TheOverviewAgreesWithQuestions) {
  const Overview& overview = ledgers_.overview();
  Question question;
  question.by = GroupBy::kNothing;
  question.wanted.lifetimes = true;
  Sums sums = world_.at(world_.peak(), [](const Block&) { return true; });
  expect_same(overview.totals, sums, "overview");
  expect_same(ledgers_.ask(question).totals, sums, "question");
  EXPECT_EQ(overview.never_freed_bytes,
            world_.at(test::kEnd, [](const Block&) { return true; }).live_bytes);
  EXPECT_EQ(overview.live_bytes_at_rss_peak,
            world_.at(world_.rss_peak(), [](const Block&) { return true; }).live_bytes);
  EXPECT_EQ(overview.sizes.count(), sums.calls);
  EXPECT_EQ(overview.sizes.sum(), sums.bytes);
  uint64_t calls = 0;
  uint64_t bytes = 0;
  uint64_t highest = 0;
  for (const SeriesBucket& bucket : overview.series.buckets) {
    calls += bucket.calls;
    bytes += bucket.bytes;
    highest = std::max(highest, bucket.max_bytes);
  }
  EXPECT_EQ(calls, sums.calls);
  EXPECT_EQ(bytes, sums.bytes);
  EXPECT_EQ(highest, sums.peak_bytes);
}

TEST_P(QueryModel, EveryBucketOfASeriesHasItsLowestAndHighest) {
  const Series& fine = ledgers_.overview().series;
  for (const Series& series : {fine, fine.with_at_most(13)}) {
    for (size_t i = 0; i < series.buckets.size(); ++i) {
      uint64_t begin = i * series.width_ns;
      uint64_t end = begin + series.width_ns;
      if (end > world_.last_time() + 1000) continue;  // the processes end in this one
      auto live = [&](uint64_t order) {
        uint64_t sum = 0;
        for (const Block& b : world_.blocks()) {
          if (b.birth <= order && b.death > order) sum += b.size;
        }
        return sum;
      };
      uint64_t lowest = begin == 0 ? 0 : live(world_.at_time(begin - 1).order);
      uint64_t highest = lowest;
      for (const Block& b : world_.blocks()) {
        if (b.birth_time >= begin && b.birth_time < end) highest = std::max(highest, live(b.birth));
        if (b.death_time >= begin && b.death_time < end) lowest = std::min(lowest, live(b.death));
      }
      if (highest == 0 && series.buckets[i].max_bytes == 0) continue;
      ASSERT_EQ(series.buckets[i].max_bytes, highest) << i;
      ASSERT_EQ(series.buckets[i].min_bytes, lowest) << i;
      ASSERT_EQ(series.buckets[i].end_bytes, live(world_.at_time(end - 1).order)) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, QueryModel, testing::Range<uint64_t>(0, 12));

}  // namespace
}  // namespace heapledger
