// From time units to nanoseconds, on paper and at the edges.
#include "analyzer/clock.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace heapledger {
namespace {

// 2 GHz, units of 16 ticks: a unit is 8 ns.
format::FileHeader header() {
  format::FileHeader h{};
  h.time_shift = 4;
  h.start = {1'600'000, 500'000, 7'000'000'000};
  h.latest[0] = {1'600'000 + 2'000'000'000, 500'000 + 1'000'000'000, 0};
  return h;
}

TEST(Clock, UnitsAreTicksShifted) {
  LedgerClock clock(header());
  EXPECT_EQ(clock.units_of_ticks(1'600'000), 100'000u);
  EXPECT_EQ(clock.ns_since_start(100'000), 0u);
  EXPECT_EQ(clock.ns_since_start(100'001), 8u);
  EXPECT_EQ(clock.wall_ns(100'125), 7'000'001'000u);
}

TEST(Clock, LengthOfATickComesFromTheNewestPair) {
  format::FileHeader h = header();
  h.latest[1] = {1'600'000 + 4'000'000'000, 500'000 + 4'000'000'000, 0};  // 1 ns a tick
  LedgerClock clock(h);
  EXPECT_TRUE(clock.calibrated());
  EXPECT_DOUBLE_EQ(clock.ns_per_tick(), 1.0);
}

TEST(Clock, WithoutASecondPairItIsEstimatedFromTheFirst) {
  format::FileHeader h = header();
  h.latest[0] = {};
  h.start = {3'000'000'000, 1'000'000'000, 0};
  LedgerClock clock(h);
  EXPECT_FALSE(clock.calibrated());
  EXPECT_NEAR(clock.ns_per_tick(), 1.0 / 3, 1e-6);
}

TEST(Clock, LearnsFromAPairFurtherAway) {
  format::FileHeader h = header();
  h.latest[0] = {};
  LedgerClock clock(h);
  clock.learn(1'600'000 + 8'000'000, 500'000 + 4'000'000);
  EXPECT_TRUE(clock.calibrated());
  EXPECT_DOUBLE_EQ(clock.ns_per_tick(), 0.5);
}

TEST(Clock, BeforeTheStartIsTheStart) {
  LedgerClock clock(header());
  EXPECT_EQ(clock.ns_since_start(0), 0u);
  EXPECT_EQ(clock.units_at_wall(1), 0u);
}

TEST(Clock, UnitsAtAWallTimeAreTheLastNotAfterIt) {
  LedgerClock clock(header());
  for (uint64_t ns = 7'000'000'000; ns < 7'000'000'100; ++ns) {
    uint64_t units = clock.units_at_wall(ns);
    EXPECT_LE(clock.wall_ns(units), ns);
    EXPECT_GT(clock.wall_ns(units + 1), ns);
  }
}

TEST(Clock, AbsurdTimesSaturate) {
  format::FileHeader h = header();
  h.time_shift = 32;
  h.start.realtime_ns = UINT64_MAX - 5;
  LedgerClock clock(h);
  EXPECT_EQ(clock.wall_ns(UINT64_MAX), UINT64_MAX);
  EXPECT_GE(clock.ns_since_start(UINT64_MAX), clock.ns_since_start(uint64_t{1} << 40));
  EXPECT_LE(clock.wall_ns(clock.units_at_wall(UINT64_MAX - 1)), UINT64_MAX);
}

TEST(Clock, NonsenseInTheHeaderIsNotBelieved) {
  format::FileHeader h = header();
  h.latest[0] = {1'600'001, UINT64_MAX, 0};  // a tick of centuries
  LedgerClock clock(h);
  EXPECT_LE(clock.ns_per_tick(), 1e6);
  EXPECT_GT(clock.ns_per_tick(), 0.0);
}

}  // namespace
}  // namespace heapledger
