// How the blocks of a file become a ledger: chunks and windows that hold the same, holes, gaps,
// torn chunks, and files that are no ledgers.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "analyze_bytes.h"
#include "analyzer/error.h"
#include "ledger_builder.h"

namespace heapledger {
namespace {

using test::Analysis;
using test::analyze_bytes;
using test::extent_offset;
using test::LedgerBuilder;

// Window 0 in block 0 with 2 calls in chunk 0 (block 1), 2 in chunk 1 (block 2), 1 in the window.
std::string two_chunks() {
  LedgerBuilder ledger;
  ledger.window(0).malloc(1, 0x1000, 10).malloc(2, 0x2000, 10).flush();
  ledger.window(0).malloc(3, 0x3000, 10).malloc(4, 0x4000, 10).flush();
  ledger.window(0).malloc(5, 0x5000, 10);
  return ledger.bytes();
}

std::string copy_block(std::string bytes, size_t from, size_t to) {
  return bytes.replace(extent_offset(to), format::kExtentBytes,
                       bytes.substr(extent_offset(from), format::kExtentBytes));
}

TEST(Extents, ChunksAndWindowTogetherAreTheLedger) {
  Analysis a = analyze_bytes(two_chunks());
  EXPECT_EQ(a.totals.calls, 5u);
  EXPECT_TRUE(a.complete());
  EXPECT_EQ(a.ledgers[0].windows, 1u);
  EXPECT_EQ(a.ledgers[0].chunks, 2u);
}

TEST(Extents, AHoleIsSkipped) {
  LedgerBuilder ledger;
  ledger.window(0).malloc(1, 0x1000, 10);
  ledger.hole();
  ledger.window(1).malloc(2, 0x2000, 10);
  Analysis a = analyze_bytes(ledger.bytes());
  EXPECT_EQ(a.totals.calls, 2u);
  EXPECT_TRUE(a.complete());
  EXPECT_EQ(a.ledgers[0].holes, 1u);
}

TEST(Extents, AMissingChunkIsAGap) {
  std::string bytes = two_chunks();
  bytes.replace(extent_offset(1), format::kExtentBytes, format::kExtentBytes, '\0');
  Analysis a = analyze_bytes(bytes);
  EXPECT_EQ(a.totals.calls, 3u);
  EXPECT_FALSE(a.complete());
  ASSERT_EQ(a.ledgers[0].problems.size(), 1u);
  EXPECT_NE(a.ledgers[0].problems[0].find("missing"), std::string::npos);
}

TEST(Extents, AChunkTwiceCountsOnce) {
  std::string bytes = two_chunks();
  bytes += bytes.substr(extent_offset(1), format::kExtentBytes);
  Analysis a = analyze_bytes(bytes);
  EXPECT_EQ(a.totals.calls, 5u);
  EXPECT_TRUE(a.complete());
}

// Killed after the chunk was written, before the window was emptied.
TEST(Extents, ChunkWinsOverTheWindowItWasCopiedFrom) {
  LedgerBuilder ledger;
  ledger.window(0).malloc(1, 0x1000, 10).malloc(2, 0x2000, 10);
  std::string before = ledger.bytes();
  ledger.window(0).flush();
  std::string bytes = ledger.bytes();
  bytes.replace(extent_offset(0), format::kExtentBytes,
                before.substr(extent_offset(0), format::kExtentBytes));
  // The runtime had begun to zero the window.
  std::memset(bytes.data() + extent_offset(0) + sizeof(format::ExtentHeader), 0, 3);
  Analysis a = analyze_bytes(bytes);
  EXPECT_EQ(a.totals.calls, 2u);
  EXPECT_TRUE(a.complete());
}

// Killed while the chunk was being written: the window still has everything.
TEST(Extents, TornChunkIsNoDamageWhileTheWindowHoldsItsEntries) {
  LedgerBuilder ledger;
  ledger.window(0).malloc(1, 0x1000, 10).malloc(2, 0x2000, 10);
  std::string before = ledger.bytes();
  ledger.window(0).flush();
  std::string after = ledger.bytes();
  const size_t whole = sizeof(format::ExtentHeader) + 12;
  for (size_t written = 4; written < whole; ++written) {
    std::string bytes = before + after.substr(extent_offset(1), written);
    Analysis a = analyze_bytes(bytes);
    ASSERT_EQ(a.totals.calls, 2u) << written;
    ASSERT_TRUE(a.complete()) << written;
    bytes.resize(before.size() + format::kExtentBytes, '\0');
    a = analyze_bytes(bytes);
    ASSERT_EQ(a.totals.calls, 2u) << written;
    ASSERT_TRUE(a.complete()) << written;
  }
}

TEST(Extents, AChunkThatEndsTheFileNeedNotFillItsBlock) {
  LedgerBuilder ledger;
  ledger.window(0).malloc(1, 0x1000, 10).flush();
  std::string bytes = ledger.bytes();
  bytes.resize(extent_offset(1) + sizeof(format::ExtentHeader) + 6);
  Analysis a = analyze_bytes(bytes);
  EXPECT_EQ(a.totals.calls, 1u);
  EXPECT_TRUE(a.complete());
}

TEST(Extents, DamagedChunkIsLeftOutAndTheRestUsed) {
  std::string bytes = two_chunks();
  bytes[extent_offset(1) + sizeof(format::ExtentHeader) + 2] ^= 1;
  Analysis a = analyze_bytes(bytes);
  EXPECT_EQ(a.totals.calls, 3u);
  EXPECT_FALSE(a.complete());
  EXPECT_TRUE(a.damaged());
}

TEST(Extents, OfTwoCopiesTheSoundOneIsUsed) {
  std::string bytes = two_chunks();
  bytes += std::string(format::kExtentBytes, '\0');
  bytes = copy_block(bytes, 1, 3);
  bytes[extent_offset(1) + sizeof(format::ExtentHeader) + 2] ^= 1;
  Analysis a = analyze_bytes(bytes);
  EXPECT_EQ(a.totals.calls, 5u);
  EXPECT_TRUE(a.complete());
}

TEST(Extents, HugeNumbersInBlockHeadersCostNothing) {
  LedgerBuilder ledger;
  ledger.window(0).malloc(1, 0x1000, 10);
  std::string bytes = ledger.bytes();
  const uint64_t seq = UINT64_MAX;
  const uint32_t window = UINT32_MAX;
  std::memcpy(bytes.data() + extent_offset(0) + 4, &window, sizeof window);
  std::memcpy(bytes.data() + extent_offset(0) + 8, &seq, sizeof seq);
  Analysis a = analyze_bytes(bytes);
  EXPECT_EQ(a.totals.calls, 1u);
  EXPECT_TRUE(a.damaged());
}

TEST(Extents, MissedEntriesAreAddedUpOverWindows) {
  LedgerBuilder ledger;
  ledger.header.missed = 3;
  ledger.window(0).malloc(1, 0x1000, 10).set_missed(5);
  ledger.window(0).flush();
  ledger.window(0).set_missed(7);  // counts since the start, so this includes the five
  ledger.window(1).malloc(2, 0x2000, 10).set_missed(20);
  Analysis a = analyze_bytes(ledger.bytes());
  EXPECT_EQ(a.totals.missed, 30u);
  EXPECT_FALSE(a.complete());
  EXPECT_FALSE(a.damaged());
}

TEST(Extents, StoppedRecordingIsIncompleteButNotDamaged) {
  LedgerBuilder ledger;
  ledger.header.stop_reason = 1;
  ledger.header.stop_errno = 28;
  ledger.window(0).malloc(1, 0x1000, 10);
  Analysis a = analyze_bytes(ledger.bytes());
  ASSERT_TRUE(a.ledgers[0].stopped.has_value());
  EXPECT_EQ(*a.ledgers[0].stopped, "the disk is full: No space left on device");
  EXPECT_FALSE(a.complete());
  EXPECT_FALSE(a.damaged());
}

ErrorKind refusal_of(const std::string& bytes) {
  try {
    analyze_bytes(bytes);
  } catch (const Error& error) {
    return error.kind();
  }
  return ErrorKind::kCancelled;
}

TEST(NoLedger, EmptyFile) {
  EXPECT_EQ(refusal_of(""), ErrorKind::kData);
}

TEST(NoLedger, SomethingElse) {
  EXPECT_EQ(refusal_of(std::string(10'000, 'x')), ErrorKind::kData);
}

TEST(NoLedger, NewerVersionIsNamed) {
  LedgerBuilder ledger;
  ledger.header.version = format::kVersion + 1;
  try {
    analyze_bytes(ledger.bytes());
    FAIL() << "was read";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("version " + std::to_string(format::kVersion + 1)),
              std::string::npos);
  }
}

TEST(NoLedger, AbsurdHeaderFields) {
  for (auto spoil : {+[](format::FileHeader& h) { h.extent_bytes = 1; },
                     +[](format::FileHeader& h) { h.extent_bytes = 0; },
                     +[](format::FileHeader& h) { h.header_bytes = 0; },
                     +[](format::FileHeader& h) { h.header_bytes = 0x80000000; },
                     +[](format::FileHeader& h) { h.time_shift = 64; },
                     +[](format::FileHeader& h) { h.version = 0; }}) {
    LedgerBuilder ledger;
    std::string bytes = ledger.bytes();
    spoil(ledger.header);
    std::memcpy(bytes.data(), &ledger.header, sizeof ledger.header);
    EXPECT_EQ(refusal_of(bytes), ErrorKind::kData);
  }
}

TEST(NoLedger, OneBadFileBesideAGoodOneIsRefusedAlone) {
  Analysis a = test::analyze_named({{"good.ledger", two_chunks()}, {"bad.ledger", "nothing"}});
  EXPECT_EQ(a.totals.calls, 5u);
  ASSERT_EQ(a.refusals.size(), 1u);
  EXPECT_NE(std::string(a.refusals[0].what()).find("bad.ledger"), std::string::npos);
  EXPECT_TRUE(a.damaged());
}

}  // namespace
}  // namespace heapledger
