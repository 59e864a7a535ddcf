// Several ledgers together: figures are added, the peak is of one moment of common time.
#include <gtest/gtest.h>

#include "analyze_bytes.h"
#include "ledger_builder.h"

namespace heapledger {
namespace {

using test::Analysis;
using test::analyze_named;
using test::kStartRealtime;
using test::LedgerBuilder;

// A ledger that starts `delay` ns later on the wall clock, with another tick counter and rate.
LedgerBuilder later_by(uint64_t delay, uint64_t ticks_per_ns = 3) {
  LedgerBuilder ledger;
  ledger.header.pid = 43;
  ledger.header.start = {77'000'000, 1'000, kStartRealtime + delay};
  ledger.header.latest[1] = {77'000'000 + ticks_per_ns * 1'000'000'000, 1'000 + 1'000'000'000,
                             kStartRealtime + delay + 1'000'000'000};
  return ledger;
}

TEST(Combined, FiguresAreAdded) {
  LedgerBuilder one;
  one.window(0).malloc(1, 0x1000, 10).free(2, 0x1000).malloc(3, 0x2000, 5);
  LedgerBuilder two;
  two.window(0).malloc(1, 0x1000, 100).malloc(2, 0x2000, 7);
  Analysis a = analyze_named({{"1", one.bytes()}, {"2", two.bytes()}});
  EXPECT_EQ(a.totals.calls, 4u);
  EXPECT_EQ(a.totals.bytes, 122u);
  EXPECT_EQ(a.totals.frees, 1u);
  EXPECT_EQ(a.totals.temporary_calls, 1u);
  EXPECT_EQ(a.totals.end_bytes, 112u);
  EXPECT_EQ(a.totals.end_blocks, 3u);
  EXPECT_EQ(a.ledgers[0].totals.bytes, 15u);
  EXPECT_EQ(a.ledgers[1].totals.bytes, 107u);
}

TEST(Combined, PeaksAtDifferentTimesAreNotAdded) {
  LedgerBuilder one;
  one.window(0).malloc(100, 0x1000, 1000).free(200, 0x1000).malloc(300, 0x1000, 10);
  LedgerBuilder two = later_by(0, 1);
  two.window(0).malloc(250, 0x1000, 2000).free(280, 0x1000).malloc(310, 0x1000, 20);
  Analysis a = analyze_named({{"1", one.bytes()}, {"2", two.bytes()}});
  EXPECT_EQ(a.totals.peak_bytes, 2000u);
  EXPECT_EQ(a.totals.peak_time_ns, 250u);
}

TEST(Combined, PeakOfTheSumIsFound) {
  LedgerBuilder one;
  one.window(0).malloc(100, 0x1000, 1000).free(5'000, 0x1000).malloc(6'000, 0x1000, 1200);
  LedgerBuilder two = later_by(2'000);
  // Three ticks a nanosecond: 3,000 units are 1,000 ns, at 3,000 of common time.
  two.window(0).malloc(3'000, 0x1000, 500).free(6'000, 0x1000);
  Analysis a = analyze_named({{"1", one.bytes()}, {"2", two.bytes()}});
  EXPECT_EQ(a.totals.peak_bytes, 1500u);
  EXPECT_EQ(a.totals.peak_blocks, 2u);
  EXPECT_EQ(a.totals.peak_time_ns, 3'000u);
  EXPECT_EQ(a.ledgers[0].totals.peak_bytes, 1200u);
  EXPECT_EQ(a.ledgers[1].totals.peak_bytes, 500u);
  EXPECT_EQ(a.ledgers[1].totals.peak_time_ns, 3'000u);
}

TEST(Combined, TheOrderOfTheFilesDoesNotMatter) {
  LedgerBuilder one;
  LedgerBuilder two = later_by(500, 2);
  for (uint64_t i = 1; i < 200; ++i) {
    one.window(0).malloc(20 * i, 0x1000 * i, i * 7 % 100);
    if (i % 3 == 0) one.window(0).free(20 * i + 5, 0x1000 * (i / 3));
    two.window(0).malloc(31 * i, 0x1000 * i, i * 11 % 130);
    if (i % 2 == 0) two.window(0).free(31 * i + 9, 0x1000 * (i / 2));
  }
  Analysis a = analyze_named({{"1", one.bytes()}, {"2", two.bytes()}});
  Analysis b = analyze_named({{"2", two.bytes()}, {"1", one.bytes()}});
  EXPECT_EQ(a.totals.peak_bytes, b.totals.peak_bytes);
  EXPECT_EQ(a.totals.peak_time_ns, b.totals.peak_time_ns);
  EXPECT_LE(a.totals.peak_bytes, a.ledgers[0].totals.peak_bytes + a.ledgers[1].totals.peak_bytes);
  EXPECT_GE(a.totals.peak_bytes,
            std::max(a.ledgers[0].totals.peak_bytes, a.ledgers[1].totals.peak_bytes));
}

// What a process leaves behind is gone with it, though it counts as never freed.
TEST(Combined, AProcessThatHasEndedHoldsNothing) {
  LedgerBuilder one;
  one.header.latest[1] = {};  // its last sign of life is the call
  one.header.start.monotonic_ns = one.header.start.ticks;
  one.window(0).malloc(100, 0x1000, 1000);
  LedgerBuilder two = later_by(0, 1);
  two.window(0).malloc(5'000, 0x1000, 600);
  Analysis a = analyze_named({{"1", one.bytes()}, {"2", two.bytes()}});
  EXPECT_EQ(a.totals.peak_bytes, 1000u);
  EXPECT_EQ(a.totals.end_bytes, 1600u);
}

TEST(Combined, UpToItsEndItDoes) {
  LedgerBuilder one;
  one.header.exit_ticks = one.header.start.ticks + 9'000;
  one.window(0).malloc(100, 0x1000, 1000);
  LedgerBuilder two = later_by(0, 1);
  two.window(0).malloc(5'000, 0x1000, 600);
  Analysis a = analyze_named({{"1", one.bytes()}, {"2", two.bytes()}});
  EXPECT_EQ(a.totals.peak_bytes, 1600u);
}

TEST(Combined, OneSiteInTwoProcessesIsOneGroup) {
  LedgerBuilder one;
  one.window(0)
      .module(0, 1, 0x10000, 0x20000, 0x10000, "same", "/lib/libx.so")
      .site(0, 1, 0, 1, 0x10500)
      .malloc(1, 0x1000, 10, 1);
  LedgerBuilder two = later_by(0, 1);
  two.window(0)
      .module(0, 3, 0x70000, 0x80000, 0x70000, "same", "/lib/libx.so")
      .site(0, 9, 0, 3, 0x70500)
      .malloc(2, 0x1000, 20, 9);
  Analysis a = analyze_named({{"1", one.bytes()}, {"2", two.bytes()}});
  ASSERT_EQ(a.groups.size(), 1u);
  EXPECT_EQ(a.groups[0].calls, 2u);
  EXPECT_EQ(a.groups[0].peak_bytes, 30u);
  EXPECT_EQ(a.groups[0].at_peak_bytes, 30u);
  NamedFrame frame = a.frames(a.groups[0])[0];
  EXPECT_EQ(frame.module, "/lib/libx.so");
  EXPECT_EQ(frame.offset, 0x500u);
  EXPECT_EQ(frame.name, "libx.so+0x500");
}

TEST(Combined, AnotherBuildOfTheSameFileIsAnotherSite) {
  LedgerBuilder one;
  one.window(0).module(0, 1, 0, 9, 0, "old", "/lib/x").site(0, 1, 0, 1, 5).malloc(1, 0x1000, 1, 1);
  LedgerBuilder two;
  two.window(0).module(0, 1, 0, 9, 0, "new", "/lib/x").site(0, 1, 0, 1, 5).malloc(1, 0x1000, 1, 1);
  EXPECT_EQ(analyze_named({{"1", one.bytes()}, {"2", two.bytes()}}).groups.size(), 2u);
}

TEST(Combined, ResidentMemoryIsAddedAtOneMoment) {
  LedgerBuilder one;
  one.window(0).memory(100, 1000, 1000).memory(300, 200, 1000);
  LedgerBuilder two = later_by(0, 1);
  two.window(0).memory(400, 700, 700).memory(500, 900, 900);
  Analysis a = analyze_named({{"1", one.bytes()}, {"2", two.bytes()}});
  EXPECT_EQ(a.totals.rss_peak_bytes, 1100u);  // 200 and 900 at 500
}

}  // namespace
}  // namespace heapledger
