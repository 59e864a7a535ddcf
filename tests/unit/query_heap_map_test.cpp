// The heap map: regions, cells and means, worked out on paper.
#include <gtest/gtest.h>

#include "analyzer/query/heap_map.h"
#include "analyzer/query/used_addresses.h"
#include "query_bytes.h"
#include "query_world.h"

namespace heapledger {
namespace {

using test::LedgerBuilder;
using test::open_bytes;

constexpr uint64_t kLow = 0x10000;
constexpr uint64_t kHigh = 0x7f0000000000;

void expect_row(const HeapMap& map, size_t row, const std::vector<double>& cells) {
  ASSERT_EQ(map.columns, cells.size());
  for (size_t i = 0; i < cells.size(); ++i) {
    EXPECT_DOUBLE_EQ(map.cell(row, i), cells[i]) << "row " << row << ", column " << i;
  }
}

constexpr uint64_t kPercent = 10'000'000;  // of a second, which the ledger is long

// A page in the low region from 0 to 50% and from 62% to 75%, one and a half pages in the high one
// from 25% to the end.
LedgerBuilder two_regions() {
  LedgerBuilder ledger;
  auto& window = ledger.window(0);
  window.thread(0, 0, 100, "main").site(0, 1, 0, 0, 0x1011);
  window.malloc(0, kLow, 4096)
      .malloc(25 * kPercent, kHigh, 6144)
      .free(50 * kPercent, kLow)
      .malloc(62 * kPercent, kLow, 4096)
      .free(75 * kPercent, kLow)
      .marker(100 * kPercent, "end");
  return ledger;
}

TEST(HeapMap, CellsHaveTheMeanOfTheirTime) {
  Ledgers ledgers = open_bytes({two_regions().bytes()});
  ASSERT_EQ(ledgers.duration_ns(), 100 * kPercent);
  HeapMap map = heap_map(ledgers, {}, {.rows = 3, .columns = 4, .regions = 4});
  EXPECT_EQ(map.cell_bytes, 4096u);
  ASSERT_EQ(map.regions.size(), 2u);
  EXPECT_EQ(map.regions[0].begin, kLow);
  EXPECT_EQ(map.regions[0].end, kLow + 4096);
  EXPECT_EQ(map.regions[1].begin, kHigh);
  EXPECT_EQ(map.regions[1].rows, 2u);
  ASSERT_EQ(map.rows, 3u);
  expect_row(map, 0, {4096, 4096, 4096.0 * 13 / 25, 0});
  expect_row(map, 1, {0, 4096, 4096, 4096});
  expect_row(map, 2, {0, 2048, 2048, 2048});
  EXPECT_EQ(map.elsewhere, std::vector<double>(4));
}

Question between(uint64_t first_percent, uint64_t second_percent) {
  auto at = [](uint64_t percent) {
    return MomentSpec{MomentSpec::Kind::kTime, percent * kPercent, 0, {}};
  };
  Question question;
  question.between = {at(first_percent), at(second_percent)};
  return question;
}

TEST(HeapMap, OfARangeWithWhatWasThereBefore) {
  Ledgers ledgers = open_bytes({two_regions().bytes()});
  HeapMap map = heap_map(ledgers, between(30, 80), {.rows = 3, .columns = 2, .regions = 4});
  EXPECT_EQ(map.begin_ns, 30 * kPercent);
  EXPECT_DOUBLE_EQ(map.column_ns, 25.0 * kPercent);
  ASSERT_EQ(map.rows, 3u);
  expect_row(map, 0, {4096.0 * 20 / 25, 4096.0 * 13 / 25});
  expect_row(map, 1, {4096, 4096});
  expect_row(map, 2, {2048, 2048});
}

TEST(HeapMap, OfARangeWithoutWhatWasGone) {
  Ledgers ledgers = open_bytes({two_regions().bytes()});
  HeapMap map = heap_map(ledgers, between(80, 90), {.rows = 3, .columns = 1, .regions = 4});
  ASSERT_EQ(map.regions.size(), 1u);
  EXPECT_EQ(map.regions[0].begin, kHigh);
  EXPECT_THROW(heap_map(ledgers, between(90, 80), {.rows = 3, .columns = 1, .regions = 4}), Error);
}

TEST(HeapMap, SizesAreInClasses) {
  Ledgers ledgers = open_bytes({two_regions().bytes()});
  HeapMap map = heap_map(ledgers, {}, {.rows = 3, .columns = 2, .regions = 4});
  // Both are from 2^12 to 2^13 - 1: class 13. First half: all of it and half of it.
  EXPECT_DOUBLE_EQ(map.sizes[0][13], 4096 + 6144.0 / 2);
  EXPECT_DOUBLE_EQ(map.sizes[1][13], 6144 + 4096.0 * 13 / 50);
  EXPECT_DOUBLE_EQ(map.sizes[0][12], 0);
}

TEST(HeapMap, RegionsWithLittleAreElsewhere) {
  Ledgers ledgers = open_bytes({two_regions().bytes(), two_regions().bytes()});
  HeapMap map = heap_map(ledgers, {}, {.rows = 64, .columns = 1, .regions = 3});
  ASSERT_EQ(map.regions.size(), 3u);
  // 8192 bytes were asked for in the low regions, 6144 in the high ones: the first of those.
  EXPECT_EQ(map.regions[0].ledger, 0u);
  EXPECT_EQ(map.regions[1].begin, kHigh);
  EXPECT_EQ(map.regions[2].ledger, 1u);
  EXPECT_EQ(map.regions[2].begin, kLow);
  EXPECT_DOUBLE_EQ(map.elsewhere[0], 6144 * 0.75);
}

TEST(HeapMap, NothingIsLostInARandomHistory) {
  for (uint64_t seed : {1u, 2u, 3u}) {
    test::World world(seed, 3, 4000);
    Ledgers ledgers = open_bytes(world.files());
    HeapMap map = heap_map(ledgers, {}, {.rows = 50, .columns = 7, .regions = 5});
    double in_cells = 0;
    double in_classes = 0;
    for (double cell : map.cells) in_cells += cell;
    for (double rest : map.elsewhere) in_cells += rest;
    for (const auto& column : map.sizes) {
      for (double bytes : column) in_classes += bytes;
    }
    auto duration = static_cast<double>(ledgers.duration_ns());
    double should = 0;
    for (const test::Block& block : world.blocks()) {
      auto end = block.death == UINT64_MAX ? duration : static_cast<double>(block.death_time);
      should += static_cast<double>(block.size) * (end - static_cast<double>(block.birth_time));
    }
    should *= 7 / duration;
    EXPECT_NEAR(in_cells, in_classes, in_classes * 1e-9) << seed;
    EXPECT_NEAR(in_cells, should, should * 1e-9) << seed;
  }
}

TEST(HeapMap, SampledBlocksCountForWhatTheyStandFor) {
  LedgerBuilder ledger = two_regions();
  ledger.header.mode = 4;  // every fourth call is entered: a block stands for four of its size
  ledger.header.sample_calls = 4;
  Ledgers ledgers = open_bytes({ledger.bytes()});
  HeapMap map = heap_map(ledgers, {}, {.rows = 3, .columns = 4, .regions = 4});
  expect_row(map, 0, {4 * 4096, 4 * 4096, 4 * 4096.0 * 13 / 25, 0});
  expect_row(map, 2, {0, 4 * 2048, 4 * 2048, 4 * 2048});
  EXPECT_DOUBLE_EQ(map.sizes[3][13], 4 * 6144);
}

TEST(HeapMap, OfNothingIsEmpty) {
  LedgerBuilder ledger;
  ledger.window(0).thread(0, 0, 100, "main");
  Ledgers ledgers = open_bytes({ledger.bytes()});
  HeapMap map = heap_map(ledgers, {}, {.rows = 10, .columns = 5, .regions = 2});
  EXPECT_EQ(map.rows, 0u);
  EXPECT_TRUE(map.regions.empty());
  EXPECT_EQ(map.sizes.size(), 5u);
}

TEST(UsedAddresses, NeighboursJoin) {
  UsedAddresses used;
  used.add(0x5010, 16, 16);
  used.add(0x7000, 4096, 4096);
  used.add(0x5ff0, 32, 32);  // across the end of a page
  std::vector<UsedRange> ranges = used.ranges();
  ASSERT_EQ(ranges.size(), 1u);
  EXPECT_EQ(ranges[0].begin, 0x5000u);
  EXPECT_EQ(ranges[0].end, 0x8000u);
  EXPECT_DOUBLE_EQ(ranges[0].bytes, 4144);
}

TEST(UsedAddresses, ManyFarApartTakeBoundedMemory) {
  UsedAddresses used;
  for (uint64_t i = 0; i < 100'000; ++i) used.add(i << 20, 1, 1);
  std::vector<UsedRange> ranges = used.ranges();
  EXPECT_LE(ranges.size(), UsedAddresses::kMaxRanges);
  double bytes = 0;
  for (const UsedRange& range : ranges) bytes += range.bytes;
  EXPECT_DOUBLE_EQ(bytes, 100'000);
}

TEST(UsedAddresses, TheEndOfTheAddressSpaceIsNoTrap) {
  UsedAddresses used;
  used.add(UINT64_MAX - 10, 100, 100);
  used.add(0, UINT64_MAX, 5);
  ASSERT_EQ(used.ranges().size(), 1u);
  EXPECT_EQ(used.ranges()[0].end, UINT64_MAX);
}

TEST(UsedAddresses, TheWidestGapsAreCutFirst) {
  // Used: 40 of 0 to 1000. Gaps: 20, 900, 40.
  std::vector<UsedRange> ranges = {{0, 10, 1}, {30, 40, 1}, {940, 950, 1}, {990, 1000, 1}};
  std::vector<UsedRange> two = cut_at_wide_gaps(ranges, 2);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[0].end, 40u);
  EXPECT_EQ(two[1].begin, 940u);
  EXPECT_DOUBLE_EQ(two[1].bytes, 2);
  // 60 unused are more than a quarter of 40, and so are the 20 that are left without the 40.
  EXPECT_EQ(cut_at_wide_gaps(ranges, 10).size(), 4u);
  // 10 of 100 unused are not worth a cut.
  EXPECT_EQ(cut_at_wide_gaps({{0, 50, 1}, {60, 110, 1}}, 10).size(), 1u);
}

}  // namespace
}  // namespace heapledger
