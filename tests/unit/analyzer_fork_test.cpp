// What a forked process has from its parent: found in the parent's ledger at the fork.
#include <gtest/gtest.h>

#include <string>

#include "analyze_bytes.h"
#include "ledger_builder.h"

namespace heapledger {
namespace {

using format::InfoKey;
using test::Analysis;
using test::analyze_named;
using test::kStartTicks;
using test::LedgerBuilder;
using test::WindowBuilder;

// The ledger of a child that was forked where `window` of its parent stands now, at `time`.
LedgerBuilder forked_from(const LedgerBuilder& parent, WindowBuilder& window, uint64_t time,
                          std::string_view parent_path) {
  LedgerBuilder child;
  child.header.pid = parent.header.pid + 1;
  child.header.parent_pid = parent.header.pid;
  child.header.run_id = parent.header.run_id;
  child.header.origin = 1;
  child.header.parent_window = window.id();
  child.header.parent_seq = window.seq();
  child.header.parent_offset = window.used();
  const format::ClockPair& start = parent.header.start;
  child.header.start = {start.ticks + time, start.monotonic_ns + time, start.realtime_ns + time};
  child.window(0).info(0, InfoKey::kParentLedger, parent_path);
  return child;
}

const LedgerFacts& child_of(const Analysis& a) {
  return a.ledgers.back();
}

TEST(Fork, InheritedBlocksAreTheParentsLiveOnes) {
  LedgerBuilder parent;
  auto& window = parent.window(0);
  window.malloc(1, 0x1000, 10).malloc(2, 0x2000, 20).malloc(3, 0x3000, 30).free(4, 0x1000).fork(5);
  LedgerBuilder child = forked_from(parent, window, 6, "p.ledger");
  window.malloc(7, 0x4000, 40).free(8, 0x2000);  // after the fork
  child.window(0).free(10, 0x2000).free(11, 0x4000).malloc(20'000, 0x5000, 50);
  Analysis a = analyze_named({{"p.ledger", parent.bytes()}, {"c.ledger", child.bytes()}});
  EXPECT_TRUE(child_of(a).parent_found);
  EXPECT_EQ(child_of(a).inherited_blocks, 2u);
  EXPECT_EQ(child_of(a).inherited_bytes, 50u);
  EXPECT_EQ(child_of(a).totals.inherited_frees, 1u);
  EXPECT_EQ(child_of(a).totals.unmatched_frees, 1u);  // 0x4000 came after the fork
  EXPECT_EQ(child_of(a).totals.frees, 0u);
  EXPECT_EQ(child_of(a).totals.peak_bytes, 50u);
  EXPECT_EQ(child_of(a).totals.end_bytes, 50u);
  EXPECT_EQ(a.totals.inherited_frees, 1u);
}

TEST(Fork, OtherThreadsOfTheParentCountUpToTheFork) {
  LedgerBuilder parent;
  parent.window(1).thread(0, 1, 11, "other").malloc(2, 0x2000, 20).malloc(9, 0x9000, 90);
  auto& window = parent.window(0);
  window.thread(0, 0, 10, "main").malloc(1, 0x1000, 10).fork(5);
  LedgerBuilder child = forked_from(parent, window, 6, "p.ledger");
  window.malloc(1'000, 0x3000, 30);
  Analysis a = analyze_named({{"p.ledger", parent.bytes()}, {"c.ledger", child.bytes()}});
  EXPECT_EQ(child_of(a).inherited_blocks, 2u);
  EXPECT_EQ(child_of(a).inherited_bytes, 30u);
}

TEST(Fork, ThePositionMayBeInAnyChunk) {
  LedgerBuilder parent;
  auto& window = parent.window(0);
  LedgerBuilder child;
  for (uint64_t i = 1; i <= 50; ++i) {
    window.malloc(i, 0x1000 * i, 1);
    if (i % 10 == 0) window.flush();
    if (i == 25) child = forked_from(parent, window, 26, "p.ledger");
  }
  Analysis a = analyze_named({{"p.ledger", parent.bytes()}, {"c.ledger", child.bytes()}});
  EXPECT_EQ(child_of(a).inherited_blocks, 25u);
}

TEST(Fork, RightAfterAFlush) {
  LedgerBuilder parent;
  auto& window = parent.window(0);
  window.malloc(1, 0x1000, 1).malloc(2, 0x2000, 1).flush();
  LedgerBuilder child = forked_from(parent, window, 3, "p.ledger");
  window.malloc(2, 0x3000, 1);  // the same time unit, but behind the position
  Analysis a = analyze_named({{"p.ledger", parent.bytes()}, {"c.ledger", child.bytes()}});
  EXPECT_EQ(child_of(a).inherited_blocks, 2u);
}

TEST(Fork, ManyChildrenOfOneParent) {
  LedgerBuilder parent;
  auto& window = parent.window(0);
  std::vector<test::NamedBytes> files;
  for (uint64_t i = 1; i <= 20; ++i) {
    window.malloc(10 * i, 0x1000 * i, i).fork(10 * i + 1);
    LedgerBuilder child = forked_from(parent, window, 10 * i + 2, "p.ledger");
    child.window(0).free(1, 0x1000 * i).free(2, 0x1000);
    files.emplace_back("c" + std::to_string(i), child.bytes());
  }
  files.insert(files.begin(), {"p.ledger", parent.bytes()});
  Analysis a = analyze_named(files);
  for (uint64_t i = 1; i <= 20; ++i) {
    const LedgerFacts& child = a.ledgers[i];
    EXPECT_EQ(child.inherited_blocks, i);
    EXPECT_EQ(child.inherited_bytes, i * (i + 1) / 2);
    // The first child frees its only block twice.
    EXPECT_EQ(child.totals.inherited_frees, i == 1 ? 1u : 2u);
    EXPECT_EQ(child.totals.unmatched_frees, i == 1 ? 1u : 0u);
  }
}

TEST(Fork, GrandchildrenInheritFromBoth) {
  LedgerBuilder parent;
  auto& window = parent.window(0);
  window.malloc(1, 0x1000, 10).malloc(2, 0x2000, 20).fork(3);
  LedgerBuilder child = forked_from(parent, window, 4, "p.ledger");
  auto& child_window = child.window(0);
  child_window.free(1, 0x1000).malloc(2, 0x3000, 30).fork(3);
  LedgerBuilder grandchild = forked_from(child, child_window, 4, "c.ledger");
  grandchild.window(0).free(1, 0x2000).free(2, 0x3000).free(3, 0x1000);
  Analysis a = analyze_named({{"p.ledger", parent.bytes()},
                              {"c.ledger", child.bytes()},
                              {"g.ledger", grandchild.bytes()}});
  EXPECT_EQ(a.ledgers[2].inherited_blocks, 2u);
  EXPECT_EQ(a.ledgers[2].inherited_bytes, 50u);
  EXPECT_EQ(a.ledgers[2].totals.inherited_frees, 2u);
  EXPECT_EQ(a.ledgers[2].totals.unmatched_frees, 1u);
}

TEST(Fork, ResizeOfAnInheritedBlock) {
  LedgerBuilder parent;
  auto& window = parent.window(0);
  window.malloc(1, 0x1000, 10).fork(2);
  LedgerBuilder child = forked_from(parent, window, 3, "p.ledger");
  child.window(0).resize(1, 0x1000, 2, 0x2000, 99);
  Analysis a = analyze_named({{"p.ledger", parent.bytes()}, {"c.ledger", child.bytes()}});
  EXPECT_EQ(child_of(a).totals.calls, 1u);
  EXPECT_EQ(child_of(a).totals.resizes, 1u);
  EXPECT_EQ(child_of(a).totals.inherited_frees, 1u);
  EXPECT_EQ(child_of(a).totals.end_bytes, 99u);
}

// The allocator hands the address of an inherited block out again at once.
TEST(Fork, AddressOfAnInheritedBlockUsedAgain) {
  LedgerBuilder parent;
  auto& window = parent.window(0);
  window.malloc(1, 0x1000, 10).fork(2);
  LedgerBuilder child = forked_from(parent, window, 3, "p.ledger");
  child.window(0).thread(0, 0, 5, "a").free(1, 0x1000);
  child.window(1).thread(0, 1, 6, "b").malloc(2'000, 0x1000, 50).free(30'000, 0x1000);
  Analysis a = analyze_named({{"p.ledger", parent.bytes()}, {"c.ledger", child.bytes()}});
  EXPECT_EQ(child_of(a).totals.inherited_frees, 1u);
  EXPECT_EQ(child_of(a).totals.frees, 1u);
  EXPECT_EQ(child_of(a).totals.unmatched_frees, 0u);
  EXPECT_EQ(child_of(a).totals.peak_bytes, 50u);
}

TEST(Fork, WithoutTheParentsLedgerUnknownFreesCountAsInherited) {
  LedgerBuilder parent;
  auto& window = parent.window(0);
  window.malloc(1, 0x1000, 10).fork(2);
  LedgerBuilder child = forked_from(parent, window, 3, "p.ledger");
  child.window(0).free(1, 0x1000).free(2, 0x7777000);
  Analysis a = analyze_named({{"c.ledger", child.bytes()}});
  EXPECT_FALSE(child_of(a).parent_found);
  EXPECT_EQ(child_of(a).inherited_blocks, 0u);
  EXPECT_EQ(child_of(a).totals.inherited_frees, 2u);
  EXPECT_EQ(child_of(a).totals.unmatched_frees, 0u);
}

TEST(Fork, MovedLedgersFindTheirParentBesideThem) {
  LedgerBuilder parent;
  auto& window = parent.window(0);
  window.malloc(1, 0x1000, 10).fork(2);
  LedgerBuilder child = forked_from(parent, window, 3, "/where/it/was/p.ledger");
  Analysis a =
      analyze_named({{"moved/p.ledger", parent.bytes()}, {"moved/c.ledger", child.bytes()}});
  EXPECT_TRUE(child_of(a).parent_found);
}

TEST(Fork, AnotherProcessOfThatNameIsNotTheParent) {
  LedgerBuilder parent;
  auto& window = parent.window(0);
  window.malloc(1, 0x1000, 10).fork(2);
  LedgerBuilder child = forked_from(parent, window, 3, "p.ledger");
  parent.header.pid = 999;
  Analysis a = analyze_named({{"p.ledger", parent.bytes()}, {"c.ledger", child.bytes()}});
  EXPECT_FALSE(child_of(a).parent_found);
}

// Its parent has ended, and it has been given to another process.
TEST(Fork, WithinOneRunAnOrphanFindsItsParent) {
  LedgerBuilder parent;
  parent.header.run_id = 0xabc;
  auto& window = parent.window(0);
  window.malloc(1, 0x1000, 10).fork(2);
  LedgerBuilder child = forked_from(parent, window, 3, "p.ledger");
  child.header.parent_pid = 1;
  Analysis a = analyze_named({{"p.ledger", parent.bytes()}, {"c.ledger", child.bytes()}});
  EXPECT_TRUE(child_of(a).parent_found);
  EXPECT_EQ(child_of(a).inherited_blocks, 1u);
}

TEST(Fork, AThreadWithoutAWindowForksByTime) {
  LedgerBuilder parent;
  parent.window(0).malloc(1, 0x1000, 10).malloc(100, 0x2000, 10);
  LedgerBuilder child = forked_from(parent, parent.window(0), 50, "p.ledger");
  child.header.parent_window = UINT32_MAX;
  Analysis a = analyze_named({{"p.ledger", parent.bytes()}, {"c.ledger", child.bytes()}});
  EXPECT_EQ(child_of(a).inherited_blocks, 1u);
}

TEST(Fork, ALedgerThatClaimsToBeItsOwnParent) {
  LedgerBuilder child;
  child.header.origin = 1;
  child.header.parent_pid = child.header.pid;
  child.window(0).info(0, InfoKey::kParentLedger, "c.ledger").free(1, 0x1000);
  Analysis a = analyze_named({{"c.ledger", child.bytes()}});
  EXPECT_FALSE(child_of(a).parent_found);
}

}  // namespace
}  // namespace heapledger
