// Views with more to them than sums: what is never freed and suppressed, where the resident memory
// goes, the frame to blame, cutting below a function, several ledgers. Figures are worked out by
// hand.
#include <gtest/gtest.h>

#include "analyzer/error.h"
#include "query_bytes.h"
#include "query_world.h"

namespace heapledger {
namespace {

using test::LedgerBuilder;
using test::open_bytes;

// Site 1: main; 2: load, called by main; 3: operator new, called by load; 4: draw, called by main.
struct Small {
  Small() {
    auto& window = ledger.window(0);
    window.thread(0, 0, 100, "main");
    window.module(0, 1, 0x1000, 0x9000, 0x1000, "id", "/usr/bin/app");
    window.module(0, 2, 0x10000, 0x19000, 0x10000, "lib", "/usr/lib/libstdc++.so.6");
    window.site(0, 1, 0, 1, 0x1011);
    window.site(0, 2, 1, 1, 0x1021);
    window.site(0, 3, 2, 2, 0x10031);
    window.site(0, 4, 1, 1, 0x1041);
    name("/usr/bin/app", "id", 0x10, "main", "app.cpp", 1);
    name("/usr/bin/app", "id", 0x20, "load(char const*)", "load.cpp", 2);
    name("/usr/lib/libstdc++.so.6", "lib", 0x30, "operator new(unsigned long)", "", 0);
    name("/usr/bin/app", "id", 0x40, "draw()", "draw.cpp", 4);
  }

  void name(const char* module, const char* id, uint64_t address, const char* function,
            const char* file, uint32_t line) {
    SymbolFrame frame{symbols.intern(function), symbols.intern(file), line, false};
    symbols.set(symbols.module(module, id), address, {&frame, 1});
  }

  Ledgers open() {
    Ledgers ledgers = open_bytes({ledger.bytes()});
    ledgers.use_symbols(&symbols);
    return ledgers;
  }

  LedgerBuilder ledger;
  SymbolTable symbols;
};

TEST(Views, TheFrameToBlameIsNeitherAllocatorNorLibrary) {
  Small small;
  small.ledger.window(0).malloc(10, 0x5000, 100, 3);
  Ledgers ledgers = small.open();
  Answer answer = ledgers.ask({});
  ASSERT_EQ(answer.rows.size(), 1u);
  EXPECT_EQ(answer.rows[0].name, "load(char const*)");
  EXPECT_EQ(answer.rows[0].line, 2u);
  std::vector<NamedFrame> frames = ledgers.frames(answer.rows[0].site);
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[0].name, "operator new(unsigned long)");
  EXPECT_TRUE(frames[0].wrapper);
  EXPECT_EQ(ledgers.first_interesting_frame(answer.rows[0].site).file, "load.cpp");
}

TEST(Views, WithoutSymbolsFramesAreModuleAndOffset) {
  Small small;
  small.ledger.window(0).malloc(10, 0x5000, 100, 3);
  Ledgers ledgers = open_bytes({small.ledger.bytes()});
  EXPECT_EQ(ledgers.ask({}).rows.at(0).name, "app+0x21");
}

TEST(Views, RenamedFunctionsMergeByTheirNewNames) {
  Small small;
  small.ledger.window(0).malloc(10, 0x5000, 100, 3).malloc(11, 0x6000, 10, 4);
  Ledgers ledgers = small.open();
  ledgers.use_symbols(&small.symbols, [](std::string_view name) {
    return std::string(name.starts_with("main") ? "main" : "other");
  });
  Question question;
  question.by = GroupBy::kFunction;
  Answer answer = ledgers.ask(question);
  ASSERT_EQ(answer.rows.size(), 2u);
  EXPECT_EQ(answer.rows[0].all.bytes, 110u);
  EXPECT_EQ(answer.rows[1].all.bytes, 110u);
}

TEST(Views, CutBelowAFunctionGivesItWhatItCalls) {
  Small small;
  small.ledger.window(0).malloc(10, 0x5000, 100, 3).malloc(11, 0x6000, 10, 4);
  Ledgers ledgers = small.open();
  Question question;
  question.by = GroupBy::kFunction;
  question.skip_wrappers = false;
  question.below = "load";
  Answer answer = ledgers.ask(question);
  ASSERT_EQ(answer.rows.size(), 3u);
  for (const Row& row : answer.rows) {
    EXPECT_NE(row.name, "operator new(unsigned long)");
    if (row.name == "load(char const*)") {
      EXPECT_EQ(row.self.bytes, 100u);
    }
    if (row.name == "main") {
      EXPECT_EQ(row.all.bytes, 110u);
    }
  }
}

TEST(Views, SuppressedBlocksAreCountedApart) {
  Small small;
  small.ledger.window(0)
      .malloc(10, 0x5000, 100, 3)
      .malloc(11, 0x6000, 10, 4)
      .malloc(12, 0x7000, 1, 1)
      .malloc(13, 0x8000, 5, 1)
      .free(14, 0x8000);
  Ledgers ledgers = small.open();
  Suppressions suppressions;
  suppressions.add("leak:draw.cpp\nleak:libnothing\nleak:^load(*\n");
  NeverFreed result = ledgers.never_freed(suppressions);
  ASSERT_EQ(result.answer.rows.size(), 1u);
  EXPECT_EQ(result.answer.rows[0].name, "main");
  EXPECT_EQ(result.answer.rows[0].all.live_bytes, 1u);
  EXPECT_EQ(result.suppressed.live_bytes, 110u);
  ASSERT_EQ(result.uses.size(), 2u);
  EXPECT_EQ(result.uses[0].pattern, "draw.cpp");
  EXPECT_EQ(result.uses[0].bytes, 10u);
  EXPECT_EQ(result.uses[1].bytes, 100u);
  EXPECT_EQ(result.uses[1].blocks, 1u);
}

TEST(Views, ResidentMemoryIsTakenApart) {
  Small small;
  // Two blocks in one page, one in pages of its own, one across two pages.
  small.ledger.window(0)
      .malloc(10, 0x5010, 100, 1)
      .malloc(11, 0x5800, 24, 1)
      .memory(12, 300'000, 300'000, 40'000)
      .malloc(13, 0x100010, 200'000, 1)
      .malloc(14, 0x6ff0, 40, 1)
      .free(20, 0x5010);
  Ledgers ledgers = small.open();
  WhereRss where = ledgers.where_rss(parse_moment("peak"));
  EXPECT_EQ(where.live_bytes, 200'164u);
  EXPECT_EQ(where.live_blocks, 4u);
  // 100 takes 112, 24 takes 32, 200,000 takes 49 pages, 40 takes 48.
  EXPECT_TRUE(where.glibc_model);
  EXPECT_EQ(where.rounding_bytes, 12u + 8 + (49 * 4096 - 200'000) + 8);
  EXPECT_EQ(where.touched_pages, 1u + 49 + 2);
  EXPECT_EQ(where.touched_bytes, 52u * 4096);
  EXPECT_EQ(where.fragmentation_bytes, 52u * 4096 - where.live_bytes - where.rounding_bytes);
  ASSERT_TRUE(where.has_rss);
  EXPECT_EQ(where.sample_time_ns, 12u);
  EXPECT_TRUE(where.has_file_rss);
  EXPECT_EQ(where.unexplained_bytes, 300'000 - 52 * 4096 - 40'000);
  EXPECT_EQ(ledgers.where_rss(parse_moment("end")).live_bytes, 200'064u);
}

TEST(Views, AnotherAllocatorMeansNoModel) {
  Small small;
  small.ledger.window(0)
      .module(1, 3, 0x20000, 0x21000, 0x20000, "j", "/usr/lib/libjemalloc.so.2")
      .malloc(10, 0x5010, 100, 1)
      .memory(12, 300'000, 300'000);
  WhereRss where = small.open().where_rss(parse_moment("end"));
  EXPECT_FALSE(where.glibc_model);
  EXPECT_EQ(where.other_malloc, "/usr/lib/libjemalloc.so.2");
  EXPECT_EQ(where.rounding_bytes, 0u);
  EXPECT_FALSE(where.has_file_rss);
}

TEST(Views, MarkersAreMoments) {
  Small small;
  small.ledger.window(0)
      .malloc(10, 0x5000, 100, 1)
      .marker(11, "loaded")
      .malloc(12, 0x6000, 10, 1)
      .marker(13, "loaded");
  Ledgers ledgers = small.open();
  Question question;
  question.by = GroupBy::kNothing;
  question.at = parse_moment("loaded");
  EXPECT_EQ(ledgers.ask(question).totals.live_bytes, 100u);
  EXPECT_EQ(ledgers.time_of(question.at), 11u);
  question.at = parse_moment("unloaded");
  try {
    ledgers.ask(question);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("markers: loaded"), std::string::npos);
  }
}

TEST(Views, ARangeThatRunsBackwardsIsRefused) {
  Small small;
  small.ledger.window(0).malloc(10, 0x5000, 100, 1);
  Ledgers ledgers = small.open();
  Question question;
  question.between = {parse_moment("20ns"), parse_moment("10ns")};
  EXPECT_THROW(ledgers.ask(question), Error);
}

TEST(Views, ARangeThatEndsAtTheStartIsEmpty) {
  Small small;
  small.ledger.window(0).malloc(10, 0x5000, 100, 3);
  Ledgers ledgers = small.open();
  Question question;
  question.between = {parse_moment("start"), parse_moment("start")};
  Answer answer = ledgers.ask(question);
  EXPECT_EQ(answer.totals.calls, 0u);
  EXPECT_EQ(answer.totals.live_bytes, 0u);
}

TEST(Views, ConstructorsOfTheLibraryAreSuppressedAndThoseOfTheProgramAreNot) {
  Small small;
  auto& window = small.ledger.window(0);
  window.module(0, 3, 0x20000, 0x29000, 0x20000, "ld", "/lib64/ld-linux-x86-64.so.2");
  window.site(0, 5, 0, 3, 0x20051);  // the loader
  window.site(0, 6, 5, 2, 0x10061);  // a constructor of libstdc++, called by it
  window.site(0, 7, 5, 1, 0x1071);   // a constructor of the program …
  window.site(0, 8, 7, 2, 0x10031);  // … that calls operator new
  window.malloc(10, 0x5000, 72704, 6);
  window.malloc(20, 0x6000, 40, 8);
  Ledgers ledgers = small.open();
  NeverFreed never = ledgers.never_freed(Suppressions::built_in());
  EXPECT_EQ(never.suppressed.live_bytes, 72704u);
  EXPECT_EQ(never.answer.totals.live_bytes, 40u);
}

TEST(Views, TheWorstProcessIsByItsOwnTotals) {
  Small small, other;
  small.ledger.window(0).malloc(10, 0x5000, 100, 1).free(11, 0x5000);
  other.ledger.window(0).malloc(12, 0x5000, 60, 1);
  Ledgers ledgers = open_bytes({small.ledger.bytes(), other.ledger.bytes()});
  EXPECT_EQ(ledgers.worst(Measure::kPeakBytes), 0u);
  EXPECT_EQ(ledgers.worst(Measure::kLiveBytes), 1u);
  EXPECT_THROW(ledgers.worst(Measure::kMedianLifetime), Error);
  Question question;
  question.by = GroupBy::kNothing;
  question.at = parse_moment("end");
  question.ledger = 0;
  EXPECT_EQ(ledgers.ask(question).totals.bytes, 100u);
  EXPECT_EQ(ledgers.ask(question).totals.live_bytes, 0u);
}

TEST(Views, OnlyTheTopRowsAreMade) {
  Small small;
  small.ledger.window(0)
      .malloc(10, 0x5000, 100, 3)
      .malloc(11, 0x6000, 10, 4)
      .malloc(12, 0x7000, 20, 4)
      .malloc(13, 0x8000, 1, 1);
  Ledgers ledgers = small.open();
  Question question;
  question.top = 1;
  question.sort = Measure::kCalls;
  Answer answer = ledgers.ask(question);
  EXPECT_EQ(answer.groups, 3u);
  ASSERT_EQ(answer.rows.size(), 1u);
  EXPECT_EQ(answer.rows[0].name, "draw()");
  EXPECT_EQ(answer.totals.calls, 4u);
}

TEST(Views, SitesHaveLinesOverTime) {
  Small small;
  small.ledger.window(0)
      .malloc(10, 0x5000, 100, 3)
      .malloc(11, 0x6000, 10, 4)
      .free(5000, 0x5000)
      .malloc(9000, 0x5000, 30, 3);
  Ledgers ledgers = small.open();
  for (GroupBy by : {GroupBy::kSite, GroupBy::kOwner, GroupBy::kPart}) {
    Question question;
    question.by = by;
    question.top = 1;
    GroupsOverTime found = ledgers.over_time(question);
    ASSERT_EQ(found.live_bytes.size(), found.answer.rows.size());
    EXPECT_EQ(found.answer.rows.at(0).all.live_bytes, 100u);  // at the peak
    EXPECT_EQ(found.live_bytes.at(0).back(), 30u);
  }
}

TEST(Views, EventsOfARangeEndWhereItsFiguresDo) {
  Small small;
  small.ledger.window(0)
      .malloc(10, 0x5000, 100, 3)  // the peak
      .free(10, 0x5000)
      .malloc(10, 0x6000, 40, 4)  // at the same time, and after it
      .free(20, 0x6000);
  Ledgers ledgers = small.open();
  Question question;
  for (auto [begin, end, bytes] : {std::tuple("start", "peak", 100u), {"peak", "end", 40u}}) {
    question.between = {parse_moment(begin), parse_moment(end)};
    uint64_t born = 0;
    ledgers.block_events(question, [&](const BlockEvent& event) {
      if (event.what == BlockEvent::What::kBorn) born += event.bytes;
    });
    EXPECT_EQ(born, bytes) << begin;
    EXPECT_EQ(ledgers.ask(question).totals.bytes, bytes) << begin;
  }
}

TEST(Views, AnEmptyLedgerHasAnswers) {
  LedgerBuilder ledger;
  ledger.window(0);
  Ledgers ledgers = open_bytes({ledger.bytes()});
  for (const char* moment : {"start", "peak", "rss-peak", "end", "1ns", "50%"}) {
    Question question;
    question.at = parse_moment(moment);
    Answer answer = ledgers.ask(question);
    EXPECT_EQ(answer.totals.calls, 0u);
    EXPECT_TRUE(answer.rows.empty());
  }
  EXPECT_EQ(ledgers.overview().totals.peak_bytes, 0u);
  EXPECT_FALSE(ledgers.where_rss(parse_moment("peak")).has_rss);
}

}  // namespace
}  // namespace heapledger
