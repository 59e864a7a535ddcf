// Rules on made-up programs: for each one a program of which it must speak, with figures worked out
// by hand, and near misses of which it must not.
#include "advice/advice.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "advice/facts.h"
#include "advice/neighbours.h"
#include "advice_program.h"
#include "analyzer/error.h"

namespace heapledger {
namespace {

using test::Program;

// The only finding of the only rule asked for.
Finding only_finding(Program& program, Rule rule) {
  Advice advice = program.advise({rule});
  EXPECT_EQ(advice.findings.size(), 1u);
  if (advice.findings.empty()) return {};
  EXPECT_EQ(advice.findings[0].rule, rule);
  return advice.findings[0];
}

size_t findings(Program& program, Rule rule) {
  return program.advise({rule}).findings.size();
}

void expect_saved(const Finding& finding, uint64_t calls, uint64_t bytes, uint64_t peak) {
  EXPECT_EQ(finding.saved.calls, calls);
  EXPECT_EQ(finding.saved.bytes, bytes);
  EXPECT_EQ(finding.saved.peak_bytes, peak);
}

// A vector of one block after the other, each twice as large.
void fill_vector(Program& program, uint32_t site, uint64_t from, uint64_t to) {
  uint64_t block = program.malloc(site, from);
  for (uint64_t size = 2 * from; size <= to; size *= 2) {
    uint64_t larger = program.malloc(site, size);
    program.free(block);
    block = larger;
  }
  program.other();
  program.free(block);
}

TEST(Advice, VectorsThatCopyAreGrownBySteps) {
  Program program;
  uint32_t site = program.code("parse()", "parse.cpp", 42);
  for (int i = 0; i < 10; ++i) fill_vector(program, site, 8, 1024);
  Finding finding = only_finding(program, Rule::kGrownBySteps);
  // 8, 16, … 1024 are eight blocks: seven steps, and 8 + … + 512 = 1016 bytes before the last.
  expect_saved(finding, 70, 10160, 0);
  EXPECT_EQ(finding.frame.function, "parse()");
  EXPECT_EQ(finding.frame.line, 42u);
  EXPECT_NE(finding.what.find("10 blocks"), std::string::npos) << finding.what;
  EXPECT_NE(finding.what.find("7.0 on average"), std::string::npos) << finding.what;
  EXPECT_NE(finding.evidence.find("1.0 KiB"), std::string::npos) << finding.evidence;
  EXPECT_EQ(finding.treatment, Treatment::kAsRecorded);
}

TEST(Advice, LinesOfOneFunctionGrowTheSameVector) {
  Program program;
  uint32_t first = program.code("parse()", "parse.cpp", 42);
  uint32_t second = program.code("parse()", "parse.cpp", 44);
  uint32_t stranger = program.code("draw()", "draw.cpp", 9);
  for (int i = 0; i < 10; ++i) {
    uint64_t small = program.malloc(first, 100);
    uint64_t middle = program.malloc(second, 200);
    program.free(small);
    uint64_t large = program.malloc(second, 400);
    program.free(middle);
    program.other();
    program.free(large);
    small = program.malloc(first, 100);
    middle = program.malloc(stranger, 200);
    program.free(small);
    large = program.malloc(stranger, 400);  // one step of its own is no chain
    program.free(middle);
    program.other();
    program.free(large);
  }
  Finding finding = only_finding(program, Rule::kGrownBySteps);
  expect_saved(finding, 20, 3000, 0);
  EXPECT_EQ(finding.frame.line, 44u);
}

// Ten vectors that are filled by one line, in turns, so that other blocks come between their own.
TEST(Advice, VectorsThatGrowInTurns) {
  Program program;
  uint32_t site = program.code("column()", "table.cpp", 42);
  std::vector<uint64_t> columns;
  for (int i = 0; i < 10; ++i) columns.push_back(program.malloc(site, 100));
  for (uint64_t size = 200; size <= 800; size *= 2) {
    for (uint64_t& column : columns) {
      uint64_t larger = program.malloc(site, size);
      program.free(column);
      column = larger;
    }
  }
  expect_saved(only_finding(program, Rule::kGrownBySteps), 30, 10 * (100 + 200 + 400), 0);
}

// Each is freed when the third after it comes, and all are larger than those before.
TEST(Advice, AWindowOfBlocksHasNotGrown) {
  Program program;
  uint32_t site = program.code("line()", "lines.cpp", 42);
  std::vector<uint64_t> lines;
  for (size_t i = 0; i < 3000; ++i) {
    lines.push_back(program.malloc(site, 16 + i * 37 % 1000));
    if (i >= 3) program.free(lines[i - 3]);
  }
  EXPECT_EQ(findings(program, Rule::kGrownBySteps), 0u);
}

TEST(Advice, ReplacedBlocksHaveNotGrown) {
  Program program;
  uint32_t site = program.code("parse()", "parse.cpp", 42);
  for (int i = 0; i < 50; ++i) fill_vector(program, site, 8, 16);  // once each
  uint64_t block = program.malloc(site, 8);
  for (uint64_t size = 64; size < uint64_t{1} << 40; size *= 8) {  // far larger each time
    uint64_t larger = program.malloc(site, size);
    program.free(block);
    block = larger;
  }
  for (uint64_t size = 100; size < 100'000; size = size * 3 / 2) {  // something else in between
    uint64_t larger = program.malloc(site, size);
    program.other();
    program.free(block);
    block = larger;
  }
  EXPECT_EQ(findings(program, Rule::kGrownBySteps), 0u);
}

TEST(Advice, ReallocsAreSteps) {
  Program program;
  uint32_t site = program.code("append()", "buffer.c", 7);
  for (int i = 0; i < 20; ++i) {
    uint64_t block = program.malloc(site, 100);
    block = program.realloc(site, block, 200, false);
    block = program.realloc(site, block, 300, true);
    program.free(block);
  }
  Finding finding = only_finding(program, Rule::kGrownBySteps);
  expect_saved(finding, 40, 20 * (100 + 200), 0);
  // In place the first time, so that only the 200 bytes were copied.
  EXPECT_NE(finding.evidence.find("3.9 KiB of it copied"), std::string::npos) << finding.evidence;
}

TEST(Advice, BlocksThatShrinkAreNotGrown) {
  Program program;
  uint32_t site = program.code("append()", "buffer.c", 7);
  for (int i = 0; i < 50; ++i) {
    uint64_t block = program.malloc(site, 300);
    block = program.realloc(site, block, 200, false);
    block = program.realloc(site, block, 100, false);
    block = program.realloc(site, block, 150, true);
    program.free(block);
  }
  EXPECT_EQ(findings(program, Rule::kGrownBySteps), 0u);
}

TEST(Advice, TemporaryBlocks) {
  Program program;
  uint32_t site = program.code("format()", "format.cpp", 5);
  for (int i = 0; i < 200; ++i) program.free(program.malloc(site, 64));
  Finding finding = only_finding(program, Rule::kTemporary);
  expect_saved(finding, 200, 200 * 64, 0);
  EXPECT_EQ(finding.treatment, Treatment::kNone);
  EXPECT_NE(finding.advice.find("stack"), std::string::npos);
  EXPECT_DOUBLE_EQ(finding.worth, 1);
}

TEST(Advice, LargeTemporaryBlocksOfOneSizeAreABufferToKeep) {
  Program program;
  uint32_t site = program.code("read()", "read.cpp", 5);
  std::vector<uint64_t> kept;
  for (int i = 0; i < 150; ++i) program.free(program.malloc(site, 65536));
  for (int i = 0; i < 50; ++i) kept.push_back(program.malloc(site, 65536));
  Finding finding = only_finding(program, Rule::kTemporary);
  expect_saved(finding, 150, 150 * 65536, 0);
  EXPECT_NE(finding.advice.find("Keep one buffer"), std::string::npos);
  // A quarter of the blocks are not temporary: without them, a replay would show too much.
  EXPECT_EQ(finding.treatment, Treatment::kAsRecorded);
}

TEST(Advice, LargeBlocksOfManySizesOrLongerLivesAreNotTemporary) {
  Program program;
  uint32_t large = program.code("read()", "read.cpp", 5);
  uint32_t longer = program.code("hold()", "read.cpp", 15);
  for (uint64_t i = 0; i < 200; ++i) program.free(program.malloc(large, 5000 + 16 * i));
  for (int i = 0; i < 200; ++i) {
    uint64_t block = program.malloc(longer, 64);
    program.other();
    program.free(block);
  }
  for (int i = 0; i < 150; ++i) program.free(program.malloc(longer, 64));  // not half of all
  EXPECT_EQ(findings(program, Rule::kTemporary), 0u);
}

TEST(Advice, ManyEqualBlocksThatEndTogether) {
  Program program;
  uint32_t site = program.code("insert()", "tree.cpp", 30);
  std::vector<uint64_t> nodes;
  for (int i = 0; i < 2000; ++i) nodes.push_back(program.malloc(site, 24));
  program.free_all(nodes);
  Finding finding = only_finding(program, Rule::kManyEqual);
  // glibc takes 32 bytes for 24: eight more than an arena would. All fit into one arena.
  expect_saved(finding, 1999, 0, 2000 * 8);
  EXPECT_EQ(finding.treatment, Treatment::kArena);
  EXPECT_NE(finding.what.find("2,000 blocks of 24 bytes"), std::string::npos) << finding.what;
}

TEST(Advice, BlocksThatComeAndGoOneByOneDoNotEndTogether) {
  Program program;
  uint32_t queue = program.code("push()", "queue.cpp", 30);
  uint32_t sizes = program.code("text()", "text.cpp", 3);
  std::vector<uint64_t> all;
  for (size_t i = 0; i < 3000; ++i) {
    all.push_back(program.malloc(queue, 24));
    if (i >= 200) program.free(all[i - 200]);
  }
  std::vector<uint64_t> texts;  // they end together, but no two are of one size
  for (uint64_t i = 0; i < 2000; ++i) texts.push_back(program.malloc(sizes, 20 + i % 100));
  program.free_all(texts);
  EXPECT_EQ(findings(program, Rule::kManyEqual), 0u);
}

TEST(Advice, AlignmentsLargerThanTheBlock) {
  Program program;
  uint32_t site = program.code("slot()", "slots.cpp", 11);
  std::vector<uint64_t> slots;
  for (int i = 0; i < 20; ++i) slots.push_back(program.aligned(site, 4096, 24));
  Finding finding = only_finding(program, Rule::kOverAligned);
  expect_saved(finding, 0, 20 * 4072, 20 * 4072);
}

TEST(Advice, CacheLinesAndWholePagesAreNotOverAligned) {
  Program lines;
  uint32_t site = lines.code("slot()", "slots.cpp", 11);
  for (int i = 0; i < 50; ++i) lines.aligned(site, 64, 24);
  EXPECT_EQ(findings(lines, Rule::kOverAligned), 0u);
  Program pages;
  site = pages.code("slot()", "slots.cpp", 11);
  for (int i = 0; i < 50; ++i) pages.aligned(site, 4096, 4096);
  EXPECT_EQ(findings(pages, Rule::kOverAligned), 0u);
}

void keep_blocks(Program& program, uint64_t count, uint64_t size) {
  uint32_t site = program.code("page()", "pages.cpp", 8);
  for (uint64_t i = 0; i < count; ++i) program.malloc(site, size);
}

TEST(Advice, SizesJustAboveAClass) {
  Program program;
  program.allocator("/usr/lib/x86_64-linux-gnu/libjemalloc.so.2");
  keep_blocks(program, 100, 4100);
  // The class after 4096 is 5120.
  expect_saved(only_finding(program, Rule::kOverSized), 0, 100 * 1020, 100 * 1020);
}

TEST(Advice, GlibcHasNoSuchClassesButMapsLargeBlocks) {
  Program small;
  small.allocator("/usr/lib/x86_64-linux-gnu/libc.so.6");
  keep_blocks(small, 100, 4100);
  EXPECT_EQ(findings(small, Rule::kOverSized), 0u);

  Program large;
  large.allocator("/usr/lib/x86_64-linux-gnu/libc.so.6");
  keep_blocks(large, 20, 131'073);
  // With 16 bytes of glibc's own 131,089, which takes 33 pages: 135,168.
  expect_saved(only_finding(large, Rule::kOverSized), 0, 20 * 4079, 20 * 4079);

  Program fits;
  fits.allocator("/usr/lib/x86_64-linux-gnu/libc.so.6");
  keep_blocks(fits, 20, 135'152);
  EXPECT_EQ(findings(fits, Rule::kOverSized), 0u);
}

TEST(Advice, LargeBlocksForAMoment) {
  Program program;
  uint32_t site = program.code("frame()", "video.cpp", 21);
  uint32_t pair = program.code("pair()", "video.cpp", 31);
  for (int i = 0; i < 60; ++i) {
    uint64_t block = program.malloc(site, 200'000);
    program.other();
    program.free(block);
  }
  std::vector<uint64_t> kept;  // as large, but several at once
  for (int i = 0; i < 10; ++i) {
    for (int j = 0; j < 6; ++j) kept.push_back(program.malloc(pair, 200'000));
    program.free_all(kept);
  }
  program.wait_until(1000);
  program.other();
  Finding finding = only_finding(program, Rule::kOverSized);
  EXPECT_EQ(finding.frame.function, "frame()");
  expect_saved(finding, 59, 0, 0);
  EXPECT_EQ(finding.treatment, Treatment::kNone);
}

TEST(Advice, BlocksFreedByAnotherThread) {
  Program program;
  uint32_t site = program.code("produce()", "queue.cpp", 3);
  std::vector<uint64_t> all;
  for (size_t i = 0; i < 1500; ++i) {
    all.push_back(program.malloc(site, 64));
    if (i >= 2) program.free(all[i - 2], 1);
  }
  program.free(all[1498], 1);
  program.free(all[1499], 0);
  Finding finding = only_finding(program, Rule::kFreedElsewhere);
  // Three are live at once: so many would do.
  expect_saved(finding, 1499 - 3, 0, 0);
  EXPECT_NE(finding.what.find("1,499 of 1,500 blocks"), std::string::npos) << finding.what;
  EXPECT_EQ(finding.evidence.find("allocated by 1 thread (main), freed by 2 threads (main"), 0u)
      << finding.evidence;
}

TEST(Advice, ResultsThatOneThreadCollectsAreNotHandedOver) {
  Program program;
  uint32_t collected = program.code("work()", "pool.cpp", 3);
  uint32_t own = program.code("use()", "pool.cpp", 9);
  std::vector<uint64_t> all;
  for (int i = 0; i < 1500; ++i) all.push_back(program.malloc(collected, 64, 1));
  program.free_all(all, 0);
  for (int i = 0; i < 1500; ++i) {
    uint64_t block = program.malloc(own, 64);
    program.other();
    program.free(block, i % 3 == 0 ? 1 : 0);
  }
  EXPECT_EQ(findings(program, Rule::kFreedElsewhere), 0u);
}

TEST(Advice, NeverFreedAndGrowing) {
  Program program;
  uint32_t site = program.code("log()", "log.cpp", 12);
  for (uint64_t i = 0; i < 40; ++i) {
    program.wait_until(10 + 24 * i);  // ten in each quarter of a second
    program.malloc(site, 4096);
  }
  program.wait_until(1000);
  program.other();
  Finding finding = only_finding(program, Rule::kNeverFreedGrowth);
  expect_saved(finding, 0, 0, 40 * 4096);
  EXPECT_DOUBLE_EQ(finding.worth, 40.0 * 4096 / (40 * 4096 + 10));
  EXPECT_NE(finding.evidence.find("160.0 KiB a second"), std::string::npos) << finding.evidence;
}

TEST(Advice, WhatStaysFromTheStartOrOneBurstIsNoGrowth) {
  Program program;
  uint32_t start = program.code("load()", "load.cpp", 12);
  uint32_t burst = program.code("save()", "save.cpp", 12);
  uint32_t freed = program.code("draw()", "draw.cpp", 12);
  uint32_t ended = program.code("warm()", "warm.cpp", 12);
  for (uint64_t i = 0; i < 100; ++i) program.malloc(start, 4096);
  std::vector<uint64_t> blocks;
  for (uint64_t i = 0; i < 40; ++i) {
    program.wait_until(10 + 24 * i);
    blocks.push_back(program.malloc(freed, 4096));
    if (i < 30) program.malloc(ended, 4096);  // not in the last quarter
  }
  for (uint64_t i = 0; i < 100; ++i) program.malloc(burst, 4096);
  program.wait_until(1000);
  program.free_all(blocks);
  EXPECT_EQ(findings(program, Rule::kNeverFreedGrowth), 0u);
}

// A cache of 1 MiB at the start, the peak, and the cache's next block, if any: in milliseconds of a
// second, or of as many as there are.
Program cached(uint64_t peak, uint64_t again, uint64_t end = 1000) {
  Program program;
  uint32_t cache = program.code("Cache::Cache()", "cache.cpp", 4);
  uint32_t insert = program.code("Cache::insert(int)", "insert.cpp", 14);
  uint32_t work = program.code("Work::run()", "cache.cpp", 3);  // a neighbour of the file alone
  uint64_t table = program.malloc(cache, 1 << 20);
  for (uint64_t time : {std::min(peak, again), std::max(peak, again)}) {
    if (time == 0) continue;
    program.wait_until(time);
    if (time == peak) program.free(program.malloc(work, 4 << 20));
    if (time == again) program.malloc(insert, 100);
  }
  program.wait_until(end);
  program.free(table);
  return program;
}

TEST(Advice, AllocatedLongBeforeItsNeighbours) {
  Program program = cached(300, 800);
  Finding finding = only_finding(program, Rule::kEarly);
  expect_saved(finding, 0, 0, 1 << 20);
  EXPECT_EQ(finding.frame.function, "Cache::Cache()");
  EXPECT_NE(finding.what.find("allocated 800.0 ms before"), std::string::npos) << finding.what;
}

TEST(Advice, NotEarlyIfNeighboursCameBeforeThePeakOrSoonOrNever) {
  Program before = cached(600, 400);
  EXPECT_EQ(findings(before, Rule::kEarly), 0u);
  Program soon = cached(100, 290);
  EXPECT_EQ(findings(soon, Rule::kEarly), 0u);
  Program never = cached(300, 0);
  EXPECT_EQ(findings(never, Rule::kEarly), 0u);
  Program at_once = cached(30, 80, 100);  // most of the run, but no time to speak of
  EXPECT_EQ(findings(at_once, Rule::kEarly), 0u);
}

TEST(Advice, StacksThatMeetInOneLineAreOneFinding) {
  Program program;
  uint32_t main = program.code("main", "main.cpp", 1);
  uint32_t one = program.code("format()", "format.cpp", 5, main);
  uint32_t draw = program.code("draw()", "draw.cpp", 7, main);
  uint32_t two = program.code("format()", "format.cpp", 5, draw);
  uint32_t three = program.code("format()", "format.cpp", 6, draw);
  for (int i = 0; i < 100; ++i) program.free(program.malloc(one, 64));
  for (int i = 0; i < 150; ++i) program.free(program.malloc(two, 64));
  for (int i = 0; i < 120; ++i) program.free(program.malloc(three, 32));
  Advice advice = program.advise({Rule::kTemporary});
  ASSERT_EQ(advice.findings.size(), 2u);
  EXPECT_EQ(advice.findings[0].frame.line, 5u);
  EXPECT_EQ(advice.findings[0].saved.calls, 250u);
  EXPECT_EQ(advice.findings[0].sites.size(), 2u);
  EXPECT_EQ(advice.findings[1].saved.calls, 120u);
  EXPECT_DOUBLE_EQ(advice.findings[1].worth, 120.0 / 370);
}

TEST(Advice, TheFirstOfManyAndHowManyMore) {
  Program program;
  for (uint32_t line = 1; line <= 5; ++line) {
    uint32_t site = program.code("f()", "f.cpp", line);
    for (uint32_t i = 0; i < 100 * line; ++i) program.free(program.malloc(site, 64));
  }
  Advice advice = program.advise({}, 2);
  ASSERT_EQ(advice.findings.size(), 2u);
  EXPECT_EQ(advice.more, 3u);
  EXPECT_EQ(advice.findings[0].frame.line, 5u);
  EXPECT_EQ(advice.findings[1].frame.line, 4u);
  EXPECT_EQ(advice.calls, 1500u);
}

TEST(Advice, WhatIsLessThanOneInAHundredIsNotTold) {
  Program program;
  uint32_t little = program.code("format()", "format.cpp", 5);
  uint32_t work = program.code("work()", "work.cpp", 5);
  for (int i = 0; i < 100; ++i) program.free(program.malloc(little, 1));
  for (int i = 0; i < 10'000; ++i) program.malloc(work, 1000);
  EXPECT_EQ(findings(program, Rule::kTemporary), 0u);
}

TEST(Advice, WordsOfRules) {
  for (size_t i = 0; i < kRules; ++i) {
    Rule rule = static_cast<Rule>(i);
    EXPECT_EQ(parse_rule(name_of(rule)), rule);
  }
  EXPECT_THROW(parse_rule("early-bird"), Error);
}

TEST(Advice, ScopesOfFunctions) {
  EXPECT_EQ(scope_of("Cache::insert(int)"), "Cache");
  EXPECT_EQ(scope_of("Cache<a::b>::insert(std::string)"), "Cache<a::b>");
  EXPECT_EQ(scope_of("main"), "");
  EXPECT_EQ(scope_of("void app::draw(int)"), "app");
}

TEST(Advice, AllocatorsByTheirLibraries) {
  EXPECT_EQ(rounding_of("/lib/libc.so.6"), Rounding::kGlibc);
  EXPECT_EQ(rounding_of("/usr/lib/libtcmalloc_minimal.so.4"), Rounding::kClasses);
  EXPECT_EQ(rounding_of("/lib/ld-musl-x86_64.so.1"), Rounding::kUnknown);
  EXPECT_EQ(rounding_of(""), Rounding::kUnknown);
}

}  // namespace
}  // namespace heapledger
