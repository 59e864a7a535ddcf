// Trees that are grown only where they are shown: they are what is left of the whole tree, which a
// question about peaks makes before it counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "query_asker.h"
#include "query_bytes.h"

namespace heapledger {
namespace {

using test::World;

Figures without_peak(Figures figures) {
  figures.has_peak = false;
  figures.peak_bytes = figures.peak_blocks = figures.peak_time_ns = 0;
  figures.peak_error = 0;
  return figures;
}

struct Shown {
  Figures all;
  Figures self;
  uint32_t hidden = 0;
  bool operator==(const Shown&) const = default;
};

// By the names from the root to the node.
std::map<std::string, Shown> nodes_of(const Answer& answer) {
  std::vector<std::string> paths;
  std::map<std::string, Shown> nodes;
  for (size_t i = 0; i < answer.tree.size(); ++i) {
    const TreeNode& node = answer.tree[i];
    paths.push_back(i == 0 ? node.name : paths[node.parent] + " > " + node.name);
    const Shown shown{without_peak(node.all), without_peak(node.self), node.hidden};
    EXPECT_TRUE(nodes.emplace(paths.back(), shown).second) << paths.back() << " is there twice";
  }
  return nodes;
}

class TreeGrowth : public testing::TestWithParam<uint64_t> {
 protected:
  TreeGrowth() : world_(GetParam(), 1 + static_cast<uint32_t>(GetParam() % 3), 3000) {}

  Ledgers open() {
    Ledgers ledgers = test::open_bytes(world_.files());
    ledgers.use_symbols(&world_.symbols());
    return ledgers;
  }

  Question choose(std::mt19937_64& random) const {
    Question question;
    question.tree = static_cast<TreeShape>(1 + random() % 4);
    if (question.tree == TreeShape::kCallersOf || question.tree == TreeShape::kCalleesOf) {
      question.function = random() % 2 == 0 ? "parse" : "*a*";
    }
    if (random() % 3 == 0) question.below = "parse";
    question.skip_wrappers = random() % 2 == 0;
    if (random() % 3 == 0) question.filter = parse_filter("function=!load");
    question.at = parse_moment(random() % 2 == 0 ? "peak" : "50%");
    constexpr Measure kSorts[] = {Measure::kLiveBytes, Measure::kCalls, Measure::kFrees};
    question.sort = kSorts[random() % 3];
    constexpr double kShares[] = {0, 0.01, 0.1};
    question.least_share = kShares[random() % 3];
    return question;
  }

  World world_;
};

TEST_P(TreeGrowth, IsTheWholeTreeWithoutItsSmallBranches) {
  Ledgers ledgers = open();
  std::mt19937_64 random(GetParam());
  for (int i = 0; i < 30; ++i) {
    Question question = choose(random);
    SCOPED_TRACE(std::string(name_of(question.tree)) + " " + std::to_string(question.least_share) +
                 " below '" + question.below + "'");
    const Answer grown = ledgers.ask(question);
    question.wanted.own_peaks = true;
    const Answer whole = ledgers.ask(question);
    ASSERT_FALSE(grown.tree.empty());
    EXPECT_EQ(nodes_of(grown), nodes_of(whole));
    EXPECT_EQ(grown.groups, whole.groups);
    EXPECT_EQ(grown.cut_sites, 0u);
    ASSERT_FALSE(HasFailure());
  }
}

TEST_P(TreeGrowth, HasTheLargestNodesWhereThereIsNoRoomForAll) {
  Ledgers ledgers = open();
  std::mt19937_64 random(GetParam());
  size_t cut = 0;
  for (int i = 0; i < 20; ++i) {
    Question question = choose(random);
    question.least_share = 0;
    const Answer all = ledgers.ask(question);
    std::vector<uint64_t> values;
    for (const TreeNode& node : all.tree) values.push_back(value_of(node.all, question.sort));
    std::sort(values.rbegin(), values.rend());
    question.most_nodes = 1 + random() % 12;
    const Answer few = ledgers.ask(question);
    ASSERT_EQ(few.tree.size(), std::min(question.most_nodes, all.tree.size()));
    cut += few.cut_sites > 0 ? 1 : 0;
    EXPECT_EQ(few.cut_sites > 0, few.tree.size() < all.tree.size());
    uint64_t own = 0;
    for (size_t node = 0; node < few.tree.size(); ++node) {
      EXPECT_EQ(value_of(few.tree[node].all, question.sort), values[node]);
      own += value_of(few.tree[node].self, question.sort);
    }
    EXPECT_EQ(own, values[0]);  // what has no node of its own counts for the last that is there
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(cut, 0u);
}

// What a tree has below one of its nodes, by the names from there on.
std::map<std::string, Shown> nodes_below(const Answer& answer, uint32_t top) {
  std::vector<std::string> paths(answer.tree.size());
  std::map<std::string, Shown> nodes;
  for (uint32_t i = top; i < answer.tree.size(); ++i) {
    const TreeNode& node = answer.tree[i];
    if (i != top && paths[node.parent].empty()) continue;
    paths[i] = i == top ? node.name : paths[node.parent] + " > " + node.name;
    nodes[paths[i]] = {without_peak(node.all), without_peak(node.self), node.hidden};
  }
  return nodes;
}

TEST_P(TreeGrowth, OfAPathIsWhatTheWholeTreeHasBelowIt) {
  Ledgers ledgers = open();
  std::mt19937_64 random(GetParam());
  for (int i = 0; i < 20; ++i) {
    Question question = choose(random);
    question.least_share = 0;
    const Answer whole = ledgers.ask(question);
    if (whole.tree.size() < 2) continue;
    const auto top = static_cast<uint32_t>(1 + random() % (whole.tree.size() - 1));
    for (uint32_t node = top; node != 0; node = whole.tree[node].parent) {
      question.path.insert(question.path.begin(), whole.tree[node].name);
    }
    SCOPED_TRACE(std::string(name_of(question.tree)) + " below '" + question.below + "'");
    for (bool own_peaks : {false, true}) {
      question.wanted.own_peaks = own_peaks;
      const Answer part = ledgers.ask(question);
      EXPECT_EQ(nodes_of(part), nodes_below(whole, top));
      EXPECT_EQ(part.totals.live_bytes, whole.totals.live_bytes);
    }
    question.wanted.own_peaks = false;
    question.only_live = true;
    EXPECT_EQ(ledgers.ask(question).tree.at(0).all.live_bytes, whole.tree[top].all.live_bytes);
    ASSERT_FALSE(HasFailure());
  }
}

// Shares and room are those of the node that the path leads to.
TEST_P(TreeGrowth, CountsFromTheNodeOfAPath) {
  Ledgers ledgers = open();
  std::mt19937_64 random(GetParam());
  for (int i = 0; i < 20; ++i) {
    Question question = choose(random);
    question.least_share = 0;
    const Answer whole = ledgers.ask(question);
    if (whole.tree.size() < 2 || whole.tree[0].children.empty()) continue;
    question.path = {whole.tree[whole.tree[0].children[0]].name};
    const Answer all = ledgers.ask(question);
    question.least_share = 0.25;
    const Answer large = ledgers.ask(question);
    const double least = 0.25 * static_cast<double>(value_of(all.tree[0].all, question.sort));
    const auto should = std::count_if(all.tree.begin(), all.tree.end(), [&](const TreeNode& node) {
      return static_cast<double>(value_of(node.all, question.sort)) >= least;
    });
    EXPECT_EQ(large.tree.size(), static_cast<size_t>(should));
    question.least_share = 0;
    question.most_nodes = 3;
    EXPECT_EQ(ledgers.ask(question).tree.size(), std::min<size_t>(3, all.tree.size()));
    ASSERT_FALSE(HasFailure());
  }
}

TEST_P(TreeGrowth, HasNothingWhereAPathLeadsNowhere) {
  Ledgers ledgers = open();
  Question question;
  question.tree = TreeShape::kTopDown;
  question.path = {"main", "nobody is called so"};
  const Answer answer = ledgers.ask(question);
  ASSERT_EQ(answer.tree.size(), 1u);
  EXPECT_EQ(answer.tree[0].all.live_bytes, 0u);
  EXPECT_GT(answer.totals.live_bytes, 0u);
  question.tree = TreeShape::kNone;
  EXPECT_THROW(ledgers.ask(question), Error);
}

INSTANTIATE_TEST_SUITE_P(Worlds, TreeGrowth, testing::Range<uint64_t>(1, 9));

}  // namespace
}  // namespace heapledger
