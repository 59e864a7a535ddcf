// Statistics of many processes, worked out by hand; and that the order of adding does not matter.
#include <gtest/gtest.h>

#include <cmath>

#include "cli/fleet/statistics.h"

namespace heapledger::cli::fleet {
namespace {

Statistics of(const std::vector<uint64_t>& values, uint32_t first = 0) {
  Statistics statistics;
  for (uint32_t i = 0; i < values.size(); ++i) statistics.add(Holder{first + i, values[i]});
  return statistics;
}

TEST(Fleet, FiguresOfAFew) {
  const Spread spread = of({2, 4, 4, 4, 5, 5, 7, 9}).of(8);
  EXPECT_EQ(spread.total, 40u);
  EXPECT_EQ(spread.least, 2u);
  EXPECT_EQ(spread.most, 9u);
  EXPECT_DOUBLE_EQ(spread.mean, 5);
  EXPECT_DOUBLE_EQ(spread.deviation, 2);
  EXPECT_EQ(spread.median, 4u);  // the fourth of eight
  EXPECT_EQ(spread.mad, 1u);     // of 0 0 0 1 1 2 3 5
  EXPECT_DOUBLE_EQ(spread.imbalance, 0.8);
}

TEST(Fleet, ThoseWithoutHaveNothing) {
  const Spread spread = of({30}).of(3);
  EXPECT_EQ(spread.processes, 1u);
  EXPECT_EQ(spread.least, 0u);
  EXPECT_DOUBLE_EQ(spread.mean, 10);
  EXPECT_DOUBLE_EQ(spread.deviation, std::sqrt(200.0));
  EXPECT_EQ(spread.median, 0u);
  EXPECT_EQ(spread.outliers, 1u);
  EXPECT_DOUBLE_EQ(spread.imbalance, 2);
}

TEST(Fleet, NoneAtAll) {
  const Spread spread = Statistics().of(0);
  EXPECT_EQ(spread.total, 0u);
  EXPECT_EQ(spread.mean, 0);
  EXPECT_EQ(spread.outliers, 0u);
}

TEST(Fleet, OneThatIsOddIsFarFromTheMedianAndMovesItNot) {
  std::vector<uint64_t> values(1000, 1'000'003);
  values[777] = 5'000'000'000'000;
  const Statistics statistics = of(values);
  const Spread spread = statistics.of(1000);
  EXPECT_EQ(spread.median, 1'000'003u);
  EXPECT_EQ(spread.mad, 0u);
  EXPECT_EQ(spread.outliers, 1u);
  EXPECT_EQ(statistics.most().front(), (Holder{777, 5'000'000'000'000}));
  EXPECT_TRUE(is_outlier(spread, 5'000'000'000'000));
  EXPECT_FALSE(is_outlier(spread, 1'000'004));
}

// 100, 102, ... 298: the median is 198, distances are 0, 2, 2, ... whose middle one is 50.
TEST(Fleet, WhatIsSpreadOutHasNoOutliers) {
  std::vector<uint64_t> values;
  for (uint64_t i = 0; i < 100; ++i) values.push_back(100 + 2 * i);
  const Spread spread = of(values).of(100);
  EXPECT_NEAR(static_cast<double>(spread.median), 198, 198.0 / 32);
  EXPECT_NEAR(static_cast<double>(spread.mad), 50, 198.0 / 16);
  EXPECT_EQ(spread.outliers, 0u);
}

TEST(Fleet, LargeNumbersAreExactWhereTheyAreSums) {
  const uint64_t large = uint64_t{1} << 45;
  std::vector<uint64_t> values(10'000, large);
  values[0] = large + 10'000;
  const Spread spread = of(values).of(10'000);
  EXPECT_EQ(spread.total, large * 10'000 + 10'000);
  EXPECT_NEAR(spread.deviation, 100, 0.01);  // 10,000 × sqrt(1/10,000 × 9,999/10,000)
}

TEST(Fleet, TheFirstOfEqualsIsNamed) {
  const Statistics statistics = of(std::vector<uint64_t>(20, 5));
  ASSERT_EQ(statistics.most().size(), Statistics::kHolders);
  EXPECT_EQ(statistics.most().front().process, 0u);
  EXPECT_EQ(statistics.most().back().process, 7u);
}

TEST(Fleet, PartsAddUpToTheSameInAnyOrder) {
  std::vector<std::vector<uint64_t>> parts(5);
  uint64_t state = 1;
  for (uint32_t i = 0; i < 500; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    parts[i / 100].push_back(state >> (20 + i % 40));
  }
  std::vector<Statistics> made;
  for (uint32_t i = 0; i < 5; ++i) made.push_back(of(parts[i], 100 * i));
  Statistics in_a_row, tree, backwards;
  for (const Statistics& part : made) in_a_row.add(part);
  Statistics left = made[0], right = made[3];
  left.add(made[1]);
  right.add(made[4]);
  tree.add(left);
  tree.add(made[2]);
  tree.add(right);
  for (size_t i = made.size(); i-- > 0;) backwards.add(made[i]);
  const Spread expected = in_a_row.of(600);
  for (const Statistics* other : {&tree, &backwards}) {
    const Spread spread = other->of(600);
    EXPECT_EQ(spread.total, expected.total);
    EXPECT_EQ(spread.deviation, expected.deviation);
    EXPECT_EQ(spread.median, expected.median);
    EXPECT_EQ(spread.mad, expected.mad);
    EXPECT_EQ(spread.outliers, expected.outliers);
    EXPECT_EQ(other->most(), in_a_row.most());
    EXPECT_EQ(other->least(), in_a_row.least());
  }
}

}  // namespace
}  // namespace heapledger::cli::fleet
