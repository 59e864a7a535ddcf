// Schedules of what would be if blocks of some sites were not allocated one by one.
#include <gtest/gtest.h>

#include <map>

#include "heap_history.h"
#include "query_bytes.h"
#include "replay/build.h"
#include "schedule_player.h"

namespace heapledger {
namespace {

using schedule::Word;
using test::HeapHistory;
using test::HistoryOptions;
using test::LedgerBuilder;
using test::open_bytes;
using test::PlayedCall;
using test::SchedulePlayer;

// Site 1 and site 2, in a module.
LedgerBuilder with_sites() {
  LedgerBuilder ledger;
  ledger.window(0).module(0, 1, 0x400000, 0x500000, 0x400000, "id", "/usr/bin/app");
  ledger.window(0).site(0, 1, 0, 1, 0x400100).site(0, 2, 0, 1, 0x400200);
  return ledger;
}

uint32_t site_of_size(Ledgers& ledgers, uint64_t size) {
  uint32_t site = UINT32_MAX;
  ledgers.operations(0, [&](const Operation& operation) {
    if (operation.block != kNoBlock && operation.size == size) site = operation.site;
  });
  return site;
}

std::vector<std::pair<Word, uint64_t>> played(const Schedule& schedule) {
  SchedulePlayer player(schedule, 1);
  EXPECT_TRUE(player.play());
  std::vector<std::pair<Word, uint64_t>> calls;
  for (const PlayedCall& call : player.calls) calls.emplace_back(call.word, call.size);
  return calls;
}

TEST(Treatments, BlocksOfASiteCanBeLeftOut) {
  LedgerBuilder ledger = with_sites();
  ledger.window(0)
      .malloc(10, 0x1000, 100, 1)
      .malloc(20, 0x2000, 200, 2)
      .resize(30, 0x1000, 31, 0x1000, 110, 1)  // both are of site 1
      .resize(40, 0x1000, 41, 0x3000, 210, 2)  // from site 1 to site 2
      .resize(50, 0x2000, 51, 0x2000, 120, 1)  // from site 2 to site 1
      .free(60, 0x2000)
      .free(70, 0x3000);
  Ledgers ledgers = open_bytes({ledger.bytes()});
  BuildOptions options;
  options.treatments[site_of_size(ledgers, 100)] = Treatment::kNone;
  ASSERT_NE(site_of_size(ledgers, 100), site_of_size(ledgers, 200));
  Schedule schedule = build_schedule(ledgers, 0, options);
  const std::vector<std::pair<Word, uint64_t>> expected = {
      {Word::kMalloc, 200}, {Word::kReallocNew, 210}, {Word::kFree, 200}, {Word::kFree, 210}};
  EXPECT_EQ(played(schedule), expected);
  EXPECT_EQ(schedule.facts.operations, 7u);
  EXPECT_EQ(schedule.facts.treated, 3u);
}

TEST(Treatments, BlocksOfASiteCanLieInArenas) {
  LedgerBuilder ledger = with_sites();
  // 2000 blocks of 100 bytes, 112 in an arena: 585 fit into one, so there are four.
  for (uint64_t i = 0; i < 2000; ++i) ledger.window(0).malloc(10 + i, 0x10000 + 0x80 * i, 100, 1);
  ledger.window(0).malloc(5000, 0x1000, 60'000, 1);  // too large for that
  ledger.window(0).malloc(5001, 0x2000, 7, 2);
  for (uint64_t i = 0; i < 2000; ++i) ledger.window(1).free(20'000 + i, 0x10000 + 0x80 * i);
  ledger.window(1).free(30'000, 0x1000);
  Ledgers ledgers = open_bytes({ledger.bytes()});
  BuildOptions options;
  options.treatments[site_of_size(ledgers, 100)] = Treatment::kArena;
  Schedule schedule = build_schedule(ledgers, 0, options);
  EXPECT_EQ(schedule.facts.arenas, 4u);
  EXPECT_EQ(schedule.facts.treated, 4000u);
  std::map<std::pair<Word, uint64_t>, int> counts;
  for (const auto& call : played(schedule)) ++counts[call];
  const std::map<std::pair<Word, uint64_t>, int> expected = {{{Word::kMalloc, kArenaBytes}, 4},
                                                             {{Word::kMalloc, 60'000}, 1},
                                                             {{Word::kMalloc, 7}, 1},
                                                             {{Word::kFree, kArenaBytes}, 4},
                                                             {{Word::kFree, 60'000}, 1}};
  EXPECT_EQ(counts, expected);
}

TEST(Treatments, OneArenaIsEnoughForBlocksThatGoAtOnce) {
  LedgerBuilder ledger = with_sites();
  for (uint64_t i = 0; i < 5000; ++i) {
    ledger.window(0).malloc(10 + 20 * i, 0x1000, 500, 1).free(20 + 20 * i, 0x1000);
  }
  Ledgers ledgers = open_bytes({ledger.bytes()});
  BuildOptions options;
  options.treatments[site_of_size(ledgers, 500)] = Treatment::kArena;
  Schedule schedule = build_schedule(ledgers, 0, options);
  EXPECT_EQ(schedule.facts.arenas, 1u);
  EXPECT_EQ(played(schedule).size(), 2u);  // freed when its thread ends
}

TEST(Treatments, FitAnyHistory) {
  for (Treatment treatment : {Treatment::kNone, Treatment::kArena}) {
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      HistoryOptions options;
      options.seed = seed;
      HeapHistory history(options);
      Ledgers ledgers = open_bytes({history.bytes()});
      BuildOptions how;
      how.strict = seed % 2 == 0;
      ledgers.operations(0, [&](const Operation& operation) {
        if (operation.block != kNoBlock) how.treatments[operation.site] = treatment;
      });
      Schedule schedule = build_schedule(ledgers, 0, how);
      EXPECT_GT(schedule.facts.treated, 0u);
      SchedulePlayer player(schedule, seed);
      EXPECT_TRUE(player.play());
    }
  }
}

}  // namespace
}  // namespace heapledger
