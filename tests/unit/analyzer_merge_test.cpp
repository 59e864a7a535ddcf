// The order in which entries of several threads are seen, and what happens when their stamps are a
// little out of order.
#include <gtest/gtest.h>

#include "analyze_bytes.h"
#include "ledger_builder.h"

namespace heapledger {
namespace {

using test::Analysis;
using test::analyze_bytes;
using test::Group;
using test::LedgerBuilder;

constexpr uint64_t kSlack = 10'000;  // ns, and so time units here

TEST(Merge, ThreadsAreSeenInTheOrderOfTime) {
  LedgerBuilder ledger;
  // Window 1 allocates between the two of window 0; only in that order is the peak 300.
  ledger.window(0).malloc(10, 0x1000, 100).free(30, 0x1000).malloc(40, 0x3000, 50);
  ledger.window(1).malloc(20, 0x2000, 200).free(50, 0x2000);
  Analysis a = analyze_bytes(ledger.bytes());
  EXPECT_EQ(a.totals.peak_bytes, 300u);
  EXPECT_EQ(a.totals.peak_time_ns, 20u);
}

TEST(Merge, AnAddressHandedFromThreadToThread) {
  LedgerBuilder ledger;
  for (uint32_t t = 0; t < 30'000; ++t) {
    ledger.window(t % 3).malloc(4 * uint64_t{t}, 0x1000, t);
    ledger.window((t + 1) % 3).free(4 * uint64_t{t} + 2, 0x1000);
  }
  Analysis a = analyze_bytes(ledger.bytes());
  EXPECT_EQ(a.totals.calls, 30'000u);
  EXPECT_EQ(a.totals.frees, 30'000u);
  EXPECT_EQ(a.totals.peak_bytes, 29'999u);
  EXPECT_EQ(a.totals.peak_blocks, 1u);
  EXPECT_EQ(a.totals.lost_frees, 0u);
  EXPECT_EQ(a.totals.unmatched_frees, 0u);
  EXPECT_TRUE(a.complete());
}

TEST(Merge, AnotherThreadCanTakeTheAddressInTheMiddleOfAResize) {
  LedgerBuilder ledger;
  ledger.window(0).malloc(1, 0x1000, 10).resize(10, 0x1000, 30, 0x2000, 40);
  ledger.window(1).malloc(20, 0x1000, 100);
  Analysis a = analyze_bytes(ledger.bytes());
  EXPECT_EQ(a.totals.end_blocks, 2u);
  EXPECT_EQ(a.totals.peak_bytes, 140u);
  EXPECT_EQ(a.totals.peak_time_ns, 30u);
  EXPECT_EQ(a.totals.lost_frees, 0u);
}

TEST(Merge, HalvesOfAResizeFrameWhatHappensBetweenThem) {
  LedgerBuilder ledger;
  // At 20 the old block is gone and the new one not there yet.
  ledger.window(0).malloc(1, 0x1000, 100).resize(10, 0x1000, 30, 0x2000, 10);
  ledger.window(1).malloc(20, 0x3000, 90).free(25, 0x3000);
  EXPECT_EQ(analyze_bytes(ledger.bytes()).totals.peak_bytes, 100u);
}

TEST(Merge, BlocksOfOneWindowAreInTheOrderOfTheirNumbers) {
  LedgerBuilder ledger;
  auto& window = ledger.window(0);
  for (uint64_t i = 0; i < 100; ++i) {
    window.malloc(2 * i, 0x1000, 10).free(2 * i + 1, 0x1000);
    if (i % 7 == 0) window.flush();
  }
  Analysis a = analyze_bytes(ledger.bytes());
  EXPECT_EQ(a.totals.calls, 100u);
  EXPECT_EQ(a.totals.temporary_calls, 100u);
  EXPECT_EQ(a.totals.peak_blocks, 1u);
}

TEST(Skew, BirthStampedWithTheDeathItFollowed) {
  LedgerBuilder ledger;
  // Equal stamps; the window of the birth comes first.
  ledger.window(0).malloc(20, 0x1000, 7).free(40, 0x1000);
  ledger.window(1).malloc(10, 0x1000, 5).free(20, 0x1000);
  Analysis a = analyze_bytes(ledger.bytes());
  EXPECT_EQ(a.totals.frees, 2u);
  EXPECT_EQ(a.totals.peak_bytes, 7u);
  EXPECT_EQ(a.totals.peak_blocks, 1u);
  EXPECT_EQ(a.totals.lost_frees, 0u);
  EXPECT_EQ(a.totals.unmatched_frees, 0u);
}

TEST(Skew, BirthStampedBeforeTheDeathItFollowed) {
  LedgerBuilder ledger;
  ledger.window(0).malloc(1, 0x1000, 5);
  ledger.window(1).malloc(100, 0x1000, 7);
  ledger.window(0).free(100 + kSlack / 2, 0x1000);
  Analysis a = analyze_bytes(ledger.bytes());
  EXPECT_EQ(a.totals.frees, 1u);
  EXPECT_EQ(a.totals.lost_frees, 0u);
  EXPECT_EQ(a.totals.peak_bytes, 7u);
  EXPECT_EQ(a.totals.end_bytes, 7u);
}

TEST(Skew, DeathStampedBeforeTheBirth) {
  LedgerBuilder ledger;
  ledger.window(0).malloc(100 + kSlack / 2, 0x1000, 5);
  ledger.window(1).free(100, 0x1000);
  Analysis a = analyze_bytes(ledger.bytes());
  EXPECT_EQ(a.totals.frees, 1u);
  EXPECT_EQ(a.totals.unmatched_frees, 0u);
  EXPECT_EQ(a.totals.end_blocks, 0u);
  EXPECT_EQ(a.totals.peak_bytes, 5u);
}

// Seen on real machines: the first thread frees the second one's block and gets its address back,
// all with stamps that are a little earlier than that of the block's birth.
TEST(Skew, DeathAndNewBirthStampedBeforeTheBirth) {
  LedgerBuilder ledger;
  ledger.window(0).free(78, 0x1000).malloc(80, 0x1000, 3).free(90, 0x1000);
  ledger.window(1).malloc(82, 0x1000, 5).malloc(100, 0x2000, 1);
  Analysis a = analyze_bytes(ledger.bytes());
  EXPECT_EQ(a.totals.frees, 2u);
  EXPECT_EQ(a.totals.calls, 3u);
  EXPECT_EQ(a.totals.unmatched_frees, 0u);
  EXPECT_EQ(a.totals.lost_frees, 0u);
  EXPECT_EQ(a.totals.peak_bytes, 5u);
  EXPECT_EQ(a.totals.end_bytes, 1u);
}

// The second thread frees the first one's new block, with a stamp that is too early by a little.
TEST(Skew, DeathOfTheNextBlockStampedBeforeThatOfTheFirst) {
  LedgerBuilder ledger;
  ledger.window(0).malloc(1, 0x1000, 9).free(825, 0x1000).malloc(829, 0x1000, 5);
  ledger.window(1).free(802, 0x1000).malloc(50'000, 0x1000, 7).free(60'000, 0x1000);
  Analysis a = analyze_bytes(ledger.bytes());
  EXPECT_EQ(a.totals.calls, 3u);
  EXPECT_EQ(a.totals.frees, 3u);
  EXPECT_EQ(a.totals.unmatched_frees, 0u);
  EXPECT_EQ(a.totals.lost_frees, 0u);
  EXPECT_EQ(a.totals.peak_bytes, 9u);
  EXPECT_EQ(a.totals.end_blocks, 0u);
}

TEST(Skew, BeyondTheSlackTheDeathWasMissed) {
  LedgerBuilder ledger;
  ledger.window(0).malloc(1, 0x1000, 5).malloc(100, 0x1000, 7);
  ledger.window(0).malloc(100 + 2 * kSlack, 0x2000, 1).free(100 + 3 * kSlack, 0x1000);
  Analysis a = analyze_bytes(ledger.bytes());
  EXPECT_EQ(a.totals.lost_frees, 1u);
  EXPECT_EQ(a.totals.frees, 1u);
  EXPECT_EQ(a.totals.calls, 3u);
  EXPECT_EQ(a.totals.end_bytes, 1u);
}

TEST(Skew, BeyondTheSlackTheDeathIsUnmatched) {
  LedgerBuilder ledger;
  ledger.window(0).free(1, 0x1000);
  ledger.window(1).malloc(2 * kSlack, 0x1000, 5);
  Analysis a = analyze_bytes(ledger.bytes());
  EXPECT_EQ(a.totals.unmatched_frees, 1u);
  EXPECT_EQ(a.totals.end_blocks, 1u);
}

// A thread's own entries are in order, so its malloc cannot be the one its earlier free was for.
TEST(Skew, AThreadDoesNotFreeWhatItAllocatesLater) {
  LedgerBuilder ledger;
  ledger.window(0).free(1, 0x1000).malloc(2, 0x1000, 5);
  Analysis a = analyze_bytes(ledger.bytes());
  EXPECT_EQ(a.totals.unmatched_frees, 1u);
  EXPECT_EQ(a.totals.end_blocks, 1u);
}

// The second thread's block waits for the first one's free, and is freed itself meanwhile.
TEST(Skew, WaitingBirthAndItsOwnDeathStayTogether) {
  LedgerBuilder ledger;
  ledger.window(0).thread(0, 0, 10, "a").malloc(1, 0x1000, 5, 1).malloc(2, 0x9000, 1, 1);
  ledger.window(0).free(60, 0x1000);
  ledger.window(1).thread(0, 1, 11, "b").malloc(50, 0x1000, 7, 2).free(55, 0x1000);
  ledger.window(1).site(0, 1, 0, 0, 0x111).site(0, 2, 0, 0, 0x222);
  Analysis a = analyze_bytes(ledger.bytes());
  EXPECT_EQ(a.totals.frees, 2u);
  EXPECT_EQ(a.totals.temporary_calls, 1u);
  ASSERT_EQ(a.groups.size(), 2u);
  for (const Group& group : a.groups) {
    bool second = a.frames(group)[0].pc == 0x222;
    EXPECT_EQ(group.temporary_calls, second ? 1u : 0u);
  }
}

TEST(Skew, OneThreadNeverWaits) {
  LedgerBuilder ledger;
  // With slack, the second block would wait and the peak be missed.
  ledger.window(0).free(1, 0x1000).malloc(2, 0x1000, 50).free(3, 0x1000).malloc(4, 0x1000, 7);
  EXPECT_EQ(analyze_bytes(ledger.bytes()).totals.peak_bytes, 50u);
}

TEST(Skew, ManyWaitingAtOneAddressAreBounded) {
  LedgerBuilder ledger;
  ledger.window(1);
  for (uint64_t i = 0; i < 300'000; ++i) ledger.window(0).malloc(0, 0x1000, 1);
  Analysis a = analyze_bytes(ledger.bytes());
  EXPECT_EQ(a.totals.calls, 300'000u);
  EXPECT_EQ(a.totals.lost_frees, 299'999u);
  EXPECT_EQ(a.totals.end_blocks, 1u);
}

TEST(Skew, ManyWaitingAtOneInstantAreBounded) {
  LedgerBuilder ledger;
  for (uint64_t i = 0; i < 200'000; ++i) ledger.window(0).free(0, 0x1000 + 16 * i);
  Analysis a = analyze_bytes(ledger.bytes());
  EXPECT_EQ(a.totals.unmatched_frees, 200'000u);
}

}  // namespace
}  // namespace heapledger
