// Every figure of the report, on histories small enough to work out by hand.
#include <gtest/gtest.h>

#include <string>

#include "analyze_bytes.h"
#include "ledger_builder.h"

namespace heapledger {
namespace {

using format::Kind;
using test::Analysis;
using test::analyze_bytes;
using test::LedgerBuilder;

uint64_t count(const Analysis& a, std::string_view function) {
  for (const format::FunctionRow& row : format::kFunctionTable) {
    if (row.name == function) return a.by_function[static_cast<size_t>(row.id)];
  }
  ADD_FAILURE() << "no function " << function;
  return 0;
}

TEST(Accounts, NothingHappened) {
  LedgerBuilder ledger;
  ledger.window(0);
  Analysis a = analyze_bytes(ledger.bytes());
  EXPECT_EQ(a.totals.calls, 0u);
  EXPECT_EQ(a.totals.peak_bytes, 0u);
  EXPECT_TRUE(a.groups.empty());
  EXPECT_TRUE(a.complete());
}

TEST(Accounts, CallsBytesFreesAndEnd) {
  LedgerBuilder ledger;
  ledger.window(0)
      .malloc(1, 0x1000, 100)
      .malloc(2, 0x2000, 50)
      .free(3, 0x1000)
      .malloc(4, 0x3000, 7);
  Analysis a = analyze_bytes(ledger.bytes());
  EXPECT_EQ(a.totals.calls, 3u);
  EXPECT_EQ(a.totals.bytes, 157u);
  EXPECT_EQ(a.totals.frees, 1u);
  EXPECT_EQ(a.totals.end_bytes, 57u);
  EXPECT_EQ(a.totals.end_blocks, 2u);
}

TEST(Accounts, PeakIsTheHighestMomentAndItsTime) {
  LedgerBuilder ledger;
  ledger.window(0)
      .malloc(100, 0x1000, 60)
      .malloc(200, 0x2000, 50)  // 110
      .free(300, 0x1000)
      .malloc(400, 0x3000, 60)  // 110 again: the first one stays
      .free(500, 0x2000)
      .free(600, 0x3000);
  Analysis a = analyze_bytes(ledger.bytes());
  EXPECT_EQ(a.totals.peak_bytes, 110u);
  EXPECT_EQ(a.totals.peak_blocks, 2u);
  EXPECT_EQ(a.totals.peak_time_ns, 200u);
}

TEST(Accounts, SharesAtThePeakAreThoseOfThatMoment) {
  LedgerBuilder ledger;
  ledger.window(0)
      .site(0, 1, 0, 0, 0x111)
      .site(0, 2, 0, 0, 0x222)
      .malloc(1, 0x1000, 100, 1)
      .malloc(2, 0x2000, 30, 2)  // peak: 130
      .free(3, 0x1000)
      .malloc(4, 0x3000, 90, 2);  // 120, of which site 2 has all
  Analysis a = analyze_bytes(ledger.bytes());
  ASSERT_EQ(a.groups.size(), 2u);
  EXPECT_EQ(a.frames(a.groups[0])[0].pc, 0x111u);
  EXPECT_EQ(a.groups[0].at_peak_bytes, 100u);
  EXPECT_EQ(a.groups[0].end_bytes, 0u);
  EXPECT_EQ(a.groups[1].at_peak_bytes, 30u);
  EXPECT_EQ(a.groups[1].at_peak_blocks, 1u);
  EXPECT_EQ(a.groups[1].peak_bytes, 120u);
  EXPECT_EQ(a.groups[1].peak_blocks, 2u);
  EXPECT_EQ(a.groups[1].peak_time_ns, 4u);
  EXPECT_EQ(a.groups[1].end_bytes, 120u);
}

TEST(Accounts, EveryFunctionIsCounted) {
  LedgerBuilder ledger;
  ledger.window(0)
      .malloc(1, 0x1000, 1)
      .allocate(Kind::kCalloc, 2, 0x2000, 1)
      .allocate(Kind::kReallocNew, 3, 0x3000, 1)
      .resize(4, 0x3000, 5, 0x3100, 2)
      .free_by(Kind::kReallocFree, 6, 0x3100)
      .allocate(Kind::kReallocArrayNew, 7, 0x4000, 1)
      .resize(8, 0x4000, 9, 0x4000, 3, 1, Kind::kReallocArray)
      .free_by(Kind::kReallocArrayFree, 10, 0x4000)
      .aligned(Kind::kPosixMemalign, 11, 0x5000, 1, 64)
      .aligned(Kind::kAlignedAlloc, 12, 0x6000, 1, 64)
      .aligned(Kind::kMemalign, 13, 0x7000, 1, 64)
      .allocate(Kind::kValloc, 14, 0x8000, 1)
      .allocate(Kind::kPvalloc, 15, 0x9000, 1)
      .free(16, 0x1000)
      .free_by(Kind::kFreeSized, 17, 0x2000)
      .free_by(Kind::kFreeAlignedSized, 18, 0x6000);
  Analysis a = analyze_bytes(ledger.bytes());
  EXPECT_EQ(count(a, "malloc"), 1u);
  EXPECT_EQ(count(a, "calloc"), 1u);
  EXPECT_EQ(count(a, "realloc"), 3u);
  EXPECT_EQ(count(a, "reallocarray"), 3u);
  EXPECT_EQ(count(a, "posix_memalign"), 1u);
  EXPECT_EQ(count(a, "aligned_alloc"), 1u);
  EXPECT_EQ(count(a, "memalign"), 1u);
  EXPECT_EQ(count(a, "valloc"), 1u);
  EXPECT_EQ(count(a, "pvalloc"), 1u);
  EXPECT_EQ(count(a, "free"), 1u);
  EXPECT_EQ(count(a, "free_sized"), 1u);
  EXPECT_EQ(count(a, "free_aligned_sized"), 1u);
  EXPECT_EQ(a.totals.calls, 11u);
  EXPECT_EQ(a.totals.resizes, 2u);
  EXPECT_EQ(a.totals.frees, 5u);
  EXPECT_EQ(a.totals.end_blocks, 4u);
}

TEST(Accounts, AResizeFreesTheOldBlockBeforeTheNewOneIsThere) {
  LedgerBuilder ledger;
  ledger.window(0).malloc(1, 0x1000, 100).resize(2, 0x1000, 3, 0x2000, 120);
  Analysis a = analyze_bytes(ledger.bytes());
  EXPECT_EQ(a.totals.peak_bytes, 120u);
  EXPECT_EQ(a.totals.peak_blocks, 1u);
  EXPECT_EQ(a.totals.peak_time_ns, 3u);
  EXPECT_EQ(a.totals.calls, 2u);
  EXPECT_EQ(a.totals.bytes, 220u);
  EXPECT_EQ(a.totals.resizes, 1u);
  EXPECT_EQ(a.totals.frees, 0u);
  EXPECT_EQ(a.totals.end_blocks, 1u);
}

TEST(Accounts, AResizeBelongsToTheSiteThatResized) {
  LedgerBuilder ledger;
  ledger.window(0)
      .site(0, 1, 0, 0, 0x111)
      .site(0, 2, 0, 0, 0x222)
      .malloc(1, 0x1000, 100, 1)
      .resize(2, 0x1000, 3, 0x2000, 300, 2)
      .free(4, 0x2000);
  Analysis a = analyze_bytes(ledger.bytes());
  ASSERT_EQ(a.groups.size(), 2u);
  EXPECT_EQ(a.groups[0].bytes, 300u);
  EXPECT_EQ(a.groups[0].resizes, 1u);
  EXPECT_EQ(a.groups[0].frees, 1u);
  EXPECT_EQ(a.groups[1].resizes, 0u);
  EXPECT_EQ(a.groups[1].frees, 0u);
  EXPECT_EQ(a.groups[1].end_blocks, 0u);
}

TEST(Accounts, TemporaryIsTheVeryNextOperationOfTheThread) {
  LedgerBuilder ledger;
  ledger.window(0)
      .malloc(1, 0x1000, 1)
      .free(2, 0x1000)  // temporary
      .malloc(3, 0x2000, 1)
      .malloc(4, 0x3000, 1)
      .free(5, 0x2000)   // not: another call came between
      .free(6, 0x3000);  // not: a free came between
  EXPECT_EQ(analyze_bytes(ledger.bytes()).totals.temporary_calls, 1u);
}

TEST(Accounts, WhatOtherThreadsDoInBetweenDoesNotMatter) {
  LedgerBuilder ledger;
  ledger.window(0).thread(0, 0, 10, "a").malloc(1, 0x1000, 1).free(9, 0x1000);
  ledger.window(1).thread(0, 1, 11, "b").malloc(2, 0x2000, 1).malloc(3, 0x3000, 1);
  EXPECT_EQ(analyze_bytes(ledger.bytes()).totals.temporary_calls, 1u);
}

TEST(Accounts, FreedAtOnceByAnotherThreadIsNotTemporary) {
  LedgerBuilder ledger;
  ledger.window(0).thread(0, 0, 10, "a").malloc(1, 0x1000, 1);
  ledger.window(1).thread(0, 1, 11, "b").free(2, 0x1000);
  Analysis a = analyze_bytes(ledger.bytes());
  EXPECT_EQ(a.totals.temporary_calls, 0u);
  EXPECT_EQ(a.totals.frees, 1u);
}

TEST(Accounts, AWindowHandedOnDoesNotMixThreads) {
  LedgerBuilder ledger;
  ledger.window(0).thread(0, 0, 10, "a").malloc(1, 0x1000, 1).thread(2, 1, 11, "b").free(3, 0x1000);
  Analysis a = analyze_bytes(ledger.bytes());
  EXPECT_EQ(a.totals.temporary_calls, 0u);
  EXPECT_EQ(a.ledgers[0].threads.size(), 2u);
}

TEST(Accounts, AResizedBlockFreedAtOnceIsTemporaryAndAResizeIsNoFree) {
  LedgerBuilder ledger;
  ledger.window(0).malloc(1, 0x1000, 1).resize(2, 0x1000, 3, 0x1000, 2).free(4, 0x1000);
  EXPECT_EQ(analyze_bytes(ledger.bytes()).totals.temporary_calls, 1u);
}

TEST(Accounts, FreeOfAnUnknownBlockIsUnmatched) {
  LedgerBuilder ledger;
  ledger.window(0).free(1, 0x1000).malloc(2, 0x2000, 5);
  Analysis a = analyze_bytes(ledger.bytes());
  EXPECT_EQ(a.totals.unmatched_frees, 1u);
  EXPECT_EQ(a.totals.frees, 0u);
  EXPECT_EQ(a.totals.end_blocks, 1u);
}

TEST(Accounts, HighestResidentMemory) {
  LedgerBuilder ledger;
  ledger.window(0).memory(1, 1000, 1500).memory(2, 3000, 3000).memory(3, 500, 4000);
  EXPECT_EQ(analyze_bytes(ledger.bytes()).totals.rss_peak_bytes, 4000u);
}

}  // namespace
}  // namespace heapledger
