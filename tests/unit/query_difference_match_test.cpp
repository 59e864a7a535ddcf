// What is matched with what, on names and lines alone.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "analyzer/query/difference_align.h"
#include "analyzer/query/difference_match.h"

namespace heapledger {
namespace {

using Pairs = std::vector<std::pair<size_t, size_t>>;

TEST(DifferenceAlign, LinesKeepTheirOrder) {
  EXPECT_EQ(align_lines({}, {{1, 1, 1}}), Pairs{});
  EXPECT_EQ(align_lines({{10, 1, 100}}, {{999, 5, 1}}), (Pairs{{0, 0}}));
  // All moved by forty, one grew.
  EXPECT_EQ(align_lines({{10, 1, 100}, {12, 1, 200}, {20, 3, 60}},
                        {{50, 1, 100}, {52, 9, 1800}, {60, 3, 60}}),
            (Pairs{{0, 0}, {1, 1}, {2, 2}}));
}

TEST(DifferenceAlign, WhatCameAndWentIsLeftOut) {
  // The first one went, another one came at the end.
  EXPECT_EQ(align_lines({{5, 1, 40}, {10, 2, 100}, {15, 7, 900}},
                        {{5, 2, 100}, {10, 7, 900}, {15, 1, 7000}}),
            (Pairs{{1, 0}, {2, 1}}));
  // One in the middle.
  EXPECT_EQ(align_lines({{5, 1, 40}, {10, 2, 100}, {15, 7, 900}}, {{8, 1, 40}, {17, 7, 900}}),
            (Pairs{{0, 0}, {2, 1}}));
}

TEST(DifferenceAlign, AmongTheSameFiguresTheOnesThatMovedAsFarBelongTogether) {
  EXPECT_EQ(align_lines({{10, 1, 64}, {12, 1, 64}, {20, 1, 64}}, {{110, 1, 64}, {120, 1, 64}}),
            (Pairs{{0, 0}, {2, 1}}));
}

TEST(DifferenceAlign, TooManyAreMatchedByTheirNumbers) {
  std::vector<AlignedLine> before;
  std::vector<AlignedLine> after;
  for (uint32_t i = 0; i < 3000; ++i) {
    before.push_back({2 * i, 1, 1});
    after.push_back({3 * i, 1, 1});
  }
  Pairs pairs = align_lines(before, after);
  ASSERT_EQ(pairs.size(), 1000u);  // multiples of six below 6000
  EXPECT_EQ(pairs[1], (std::pair<size_t, size_t>{3, 2}));
}

MatchUnit unit(uint8_t side, uint32_t line, uint64_t bytes, std::vector<uint32_t> names,
               uint32_t entry = 0) {
  MatchUnit made;
  made.side = side;
  made.line = line;
  made.calls = 1;
  made.bytes = bytes;
  made.entry = entry;
  for (uint32_t name : names) made.chain.push_back({name, line});
  made.owner = names.front() * 1000 + line;
  const uint32_t key = names.front() * 100 + entry;
  made.keys = {0, key, key, key, names.front() * 100, names.front() * 100};
  return made;
}

TEST(DifferenceMatch, AFunctionThatEndsInACallMayLeaveNoFrame) {
  constexpr uint32_t kMain = 1, kLoad = 2, kMake = 3;
  Matched found = match_units({unit(0, 6, 1000, {kMake, kLoad, kMain}),
                               unit(0, 9, 8, {kLoad, kMain}, 5),  // by the library
                               unit(1, 9, 1000, {kLoad, kMain}), unit(1, 9, 8, {kLoad, kMain}, 5)});
  EXPECT_EQ(found.count, 2u);
  EXPECT_EQ(found.rows[0], found.rows[2]);
  EXPECT_EQ(found.rows[1], found.rows[3]);
  EXPECT_NE(found.rows[0], found.rows[1]);
  EXPECT_EQ(found.lacking, (std::vector<char>{0, 0, 1, 0}));
}

TEST(DifferenceMatch, WithOtherFiguresItIsAnotherPlace) {
  Matched found = match_units({unit(0, 6, 1000, {3, 2, 1}), unit(1, 9, 500, {2, 1})});
  EXPECT_EQ(found.count, 2u);
}

TEST(DifferenceMatch, RecursionIsNoMissingFrame) {
  Matched found = match_units({unit(0, 6, 1000, {2, 3, 2, 1}), unit(1, 6, 1000, {3, 2, 1})});
  EXPECT_EQ(found.count, 2u);
}

TEST(DifferenceMatch, OfTheSameBuildOnlyTheFirstStageCounts) {
  MatchUnit before = unit(0, 6, 100, {2, 1});
  MatchUnit after = unit(1, 8, 100, {2, 1});
  before.moved = after.moved = false;
  before.keys[0] = 7;
  after.keys[0] = 8;
  EXPECT_EQ(match_units({before, after}).count, 2u);
  after.keys[0] = 7;
  EXPECT_EQ(match_units({before, after}).count, 1u);
}

TEST(DifferenceMatch, EveryUnitOfRandomOnesIsInOneRow) {
  for (uint32_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    auto upto = [&random](uint32_t most) { return static_cast<uint32_t>(random() % (most + 1)); };
    std::vector<MatchUnit> units;
    for (uint32_t i = upto(60); i > 0; --i) {
      std::vector<uint32_t> names;
      for (uint32_t n = 1 + upto(4); n > 0; --n) names.push_back(1 + upto(6));
      units.push_back(unit(static_cast<uint8_t>(upto(1)), upto(12), upto(3) * 100, names, upto(2)));
      units.back().moved = upto(4) > 0;
      units.back().keys[0] = upto(20);
    }
    Matched found = match_units(units);
    ASSERT_EQ(found.rows.size(), units.size());
    std::set<uint32_t> used(found.rows.begin(), found.rows.end());
    EXPECT_EQ(used.size(), found.count);
    if (!used.empty()) {
      EXPECT_EQ(*used.rbegin(), found.count - 1);
    }
    // The same again: nothing depends on where things lie in memory.
    EXPECT_EQ(match_units(units).rows, found.rows);
  }
}

}  // namespace
}  // namespace heapledger
