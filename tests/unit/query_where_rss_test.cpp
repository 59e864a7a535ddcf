// Where the resident memory goes when the mappings were looked at: sums made on paper.
#include <gtest/gtest.h>

#include <map>

#include "query_bytes.h"
#include "query_world.h"

namespace heapledger {
namespace {

using format::ResidentKind;

constexpr uint64_t kPage = 4096;
constexpr uint64_t kMiB = 1 << 20;

// A process with two sites.
struct Looked {
  Looked() {
    test::WindowBuilder& window = ledger.window(0);
    window.thread(0, 0, 100, "main");
    window.module(0, 1, 0x1000, 0x9000, 0x1000, "id", "/usr/bin/app");
    window.site(0, 1, 0, 1, 0x1011);
    window.site(0, 2, 1, 1, 0x1021);
  }
  Ledgers open() { return test::open_bytes({ledger.bytes()}); }

  test::LedgerBuilder ledger;
};

std::map<RssPart, int64_t> parts_of(const WhereRss& where) {
  std::map<RssPart, int64_t> parts;
  int64_t sum = 0;
  for (const RssLine& line : where.parts) {
    parts[line.part] = line.bytes;
    sum += line.bytes;
  }
  EXPECT_EQ(sum, static_cast<int64_t>(where.rss_bytes));
  return parts;
}

format::HeapEvent mapped(uint64_t at, uint64_t bytes) {
  format::HeapEvent event;
  event.event = format::Event::kBirth;
  event.heap = format::kMappingHeap;
  event.function = static_cast<uint32_t>(format::Function::kMmap);
  event.pointer = at;
  event.size = bytes;
  event.site = 1;
  return event;
}

TEST(WhereRss, WhatIsLeftOfMallocsMemoryIsFree) {
  Looked small;
  // Ten pages of heap: two blocks of 1,000 (1,008 each) in the first, one in the third.
  small.ledger.window(0)
      .malloc(10, 0x100010, 1000, 1)
      .malloc(11, 0x100400, 1000, 1)
      .malloc(12, 0x102010, 1000, 2)
      .resident(20, 20 * kPage,
                {{ResidentKind::kHeap, 0x100000, 16 * kPage, 10 * kPage},
                 {ResidentKind::kMainStack, 0x7ff00000, 8 * kPage, 3 * kPage},
                 {ResidentKind::kCode, 0x8000000, 8 * kPage, 4 * kPage},
                 {ResidentKind::kRecorder, 0, 0, 2 * kPage},
                 {ResidentKind::kAnonymous, 0, 0, kPage}})
      .memory(20, 19 * kPage, 19 * kPage);
  WhereRss where = small.open().where_rss(parse_moment("rss-peak"));
  EXPECT_TRUE(where.has_look);
  EXPECT_EQ(where.rss_bytes, 20 * kPage);  // the look's, not the sample's
  auto parts = parts_of(where);
  EXPECT_EQ(parts[RssPart::kLive], 3000);
  EXPECT_EQ(parts[RssPart::kRounding], 24);
  EXPECT_EQ(parts[RssPart::kPinned], static_cast<int64_t>(2 * kPage) - 3 * 1008);
  EXPECT_EQ(parts[RssPart::kFree], static_cast<int64_t>(8 * kPage));
  EXPECT_EQ(parts[RssPart::kMainStack], static_cast<int64_t>(3 * kPage));
  EXPECT_EQ(parts[RssPart::kCode], static_cast<int64_t>(4 * kPage));
  EXPECT_EQ(parts[RssPart::kRecorder], static_cast<int64_t>(2 * kPage));
  EXPECT_EQ(parts[RssPart::kUnexplained], static_cast<int64_t>(kPage));
}

TEST(WhereRss, WhatBlocksHaveLeftSinceTheLookIsFree) {
  Looked small;
  small.ledger.window(0)
      .malloc(10, 0x100010, 100000, 1)
      .resident(20, 30 * kPage, {{ResidentKind::kHeap, 0x100000, 30 * kPage, 30 * kPage}})
      .memory(20, 30 * kPage, 30 * kPage)
      .free(30, 0x100010)               // was there at the look: that has it already
      .malloc(31, 0x200010, 40952, 1)   // ten pages with its header
      .malloc(32, 0x900010, 200000, 1)  // with pages of its own
      .free(40, 0x200010)
      .free(41, 0x900010)
      .memory(50, 42 * kPage, 42 * kPage);
  auto parts = parts_of(small.open().where_rss(parse_moment("rss-peak")));
  EXPECT_EQ(parts[RssPart::kFree], static_cast<int64_t>((30 + 10) * kPage));
  EXPECT_EQ(parts[RssPart::kUnexplained], static_cast<int64_t>(2 * kPage));
}

TEST(WhereRss, ALookAfterTheMomentIsBetterThanNone) {
  Looked small;
  small.ledger.window(0)
      .malloc(10, 0x100010, 40952, 1)
      .memory(15, 30 * kPage, 30 * kPage)
      .free(18, 0x100010)
      .resident(20, 28 * kPage,
                {{ResidentKind::kHeap, 0x100000, 20 * kPage, 20 * kPage},
                 {ResidentKind::kCode, 0x8000000, 8 * kPage, 8 * kPage}})
      .memory(20, 28 * kPage, 28 * kPage);
  WhereRss where = small.open().where_rss(parse_moment("rss-peak"));
  EXPECT_TRUE(where.has_look);
  EXPECT_EQ(where.rss_bytes, 30 * kPage);
  EXPECT_EQ(where.sample_time_ns, 15u);
  EXPECT_EQ(where.look_time_ns, 20u);
  auto parts = parts_of(where);
  EXPECT_EQ(parts[RssPart::kLive], 40952);
  EXPECT_EQ(parts[RssPart::kCode], static_cast<int64_t>(8 * kPage));
  EXPECT_EQ(parts[RssPart::kUnexplained], static_cast<int64_t>(2 * kPage));
}

TEST(WhereRss, APieceOfAThreadsHeapIsMallocsWithoutABlock) {
  Looked small;
  small.ledger.window(0)
      .malloc(10, 0x100010, 1000, 1)
      .resident(20, 3 * kPage,
                {{ResidentKind::kHeap, 0x100000, kPage, kPage},
                 {ResidentKind::kAnonymous, 64 * kMiB, kMiB, 2 * kPage}})
      .memory(20, 3 * kPage, 3 * kPage);
  auto parts = parts_of(small.open().where_rss(parse_moment("end")));
  EXPECT_EQ(parts[RssPart::kFree], static_cast<int64_t>(2 * kPage));
  EXPECT_EQ(parts[RssPart::kUnexplained], 0);
}

TEST(WhereRss, ALargeMappingIsNotMallocsForWhereItBegins) {
  Looked small;
  small.ledger.window(0)
      .malloc(10, 0x100010, 1000, 1)
      .resident(20, 3 * kPage,
                {{ResidentKind::kHeap, 0x100000, kPage, kPage},
                 {ResidentKind::kAnonymous, 64 * kMiB, 64 * kMiB, 2 * kPage}})
      .memory(20, 3 * kPage, 3 * kPage);
  auto parts = parts_of(small.open().where_rss(parse_moment("end")));
  EXPECT_EQ(parts[RssPart::kUnexplained], static_cast<int64_t>(2 * kPage));
}

TEST(WhereRss, ABlockThatNobodyWroteToIsNotResident) {
  Looked small;
  // 1 MiB with pages of its own, 16 bytes of header: 257 pages, of which 10 are there.
  small.ledger.window(0)
      .malloc(10, 0x20000010, kMiB, 1)
      .resident(20, 10 * kPage, {{ResidentKind::kAnonymous, 0x20000000, 257 * kPage, 10 * kPage}})
      .memory(20, 10 * kPage, 10 * kPage);
  auto parts = parts_of(small.open().where_rss(parse_moment("end")));
  EXPECT_EQ(parts[RssPart::kLive], static_cast<int64_t>(kMiB));
  EXPECT_EQ(parts[RssPart::kNotResident], -static_cast<int64_t>(247 * kPage));
  EXPECT_EQ(parts.count(RssPart::kFree), 0u);
}

TEST(WhereRss, MappingsAndStacksInOneRange) {
  Looked small;
  // Of 100 pages the program mapped 60, a thread's stack is the rest; and of a file 20 are there.
  small.ledger.window(0)
      .event(10, mapped(0x10000000, 60 * kPage))
      .event(11, mapped(0x30000000, 50 * kPage))
      .resident(20, 90 * kPage,
                {{ResidentKind::kThreadStack, 0x10000000, 100 * kPage, 70 * kPage},
                 {ResidentKind::kFile, 0x30000000, 50 * kPage, 20 * kPage}})
      .memory(20, 90 * kPage, 90 * kPage);
  auto parts = parts_of(small.open().where_rss(parse_moment("end")));
  EXPECT_EQ(parts[RssPart::kMappings], static_cast<int64_t>(60 * kPage));
  EXPECT_EQ(parts[RssPart::kThreadStacks], static_cast<int64_t>(10 * kPage));
  EXPECT_EQ(parts[RssPart::kFiles], static_cast<int64_t>(20 * kPage));
}

TEST(WhereRss, WhatCameAfterTheLookIsBlocks) {
  Looked small;
  // The heap has grown by eight pages since then: seven full of a block, one with a small one.
  small.ledger.window(0)
      .malloc(10, 0x100010, 4072, 1)
      .resident(20, kPage, {{ResidentKind::kHeap, 0x100000, kPage, kPage}})
      .memory(20, kPage, kPage)
      .malloc(30, 0x101010, 7 * kPage - 24, 1)
      .malloc(31, 0x108010, 1000, 1)
      .memory(40, 9 * kPage, 9 * kPage);
  auto parts = parts_of(small.open().where_rss(parse_moment("end")));
  EXPECT_EQ(parts.count(RssPart::kNotResident), 0u);
  EXPECT_EQ(parts[RssPart::kUnexplained], 0);
  EXPECT_NEAR(static_cast<double>(parts[RssPart::kPinned]), static_cast<double>(kPage - 1008), 64);
}

TEST(WhereRss, WithoutASampleThePeakStandsIn) {
  Looked small;
  small.ledger.window(0).malloc(10, 0x100010, 1000, 1);
  WhereRss where = small.open().where_rss(parse_moment("rss-peak"));
  EXPECT_EQ(where.at.kind, MomentSpec::Kind::kPeak);
  EXPECT_EQ(where.live_bytes, 1000u);
  EXPECT_TRUE(where.parts.empty());
}

}  // namespace
}  // namespace heapledger
