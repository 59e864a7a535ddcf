// Heaps beside malloc's. One random history is written twice: as calls of malloc, and as what
// happens in a pool, in a ledger that has another history as calls of malloc, at the same
// addresses. Every question about the pool has to give the figures that the same question about
// malloc gives there.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "analyzer/error.h"
#include "ledger_builder.h"
#include "query_bytes.h"

namespace heapledger {
namespace {

using format::Event;
using format::Function;
using format::HeapEvent;
using format::HeapKind;
using test::LedgerBuilder;
using test::open_bytes;
using test::WindowBuilder;

constexpr uint32_t kPool = format::kFirstOtherHeap;
constexpr uint32_t kSites = 5;

struct Step {
  uint64_t time;
  Event event;
  uint64_t old_pointer;
  uint64_t pointer;
  uint64_t size;
  uint32_t site;
};

// Blocks come, go and change their size; some stay.
std::vector<Step> random_history(uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Step> steps;
  std::map<uint64_t, bool> live;
  auto fresh = [&] {
    uint64_t pointer = 0;
    do pointer = 0x10000 + 16 * (random() % 64);
    while (live.count(pointer) > 0);
    live[pointer] = true;
    return pointer;
  };
  for (uint64_t time = 100; time < 60'000; time += 50 + random() % 200) {
    uint64_t size = 1 + random() % 900;
    auto site = static_cast<uint32_t>(1 + random() % kSites);
    auto some = live.begin();
    if (!live.empty()) std::advance(some, static_cast<long>(random() % live.size()));
    uint64_t what = random() % 10;
    if (live.empty() || (what < 5 && live.size() < 60)) {
      steps.push_back({time, Event::kBirth, 0, fresh(), size, site});
    } else if (what < 8) {
      steps.push_back({time, Event::kDeath, 0, some->first, 0, 0});
      live.erase(some);
    } else {
      uint64_t old = some->first;
      live.erase(some);
      uint64_t pointer = what == 8 ? old : fresh();
      live[pointer] = true;
      steps.push_back({time, Event::kResize, old, pointer, size, site});
    }
  }
  return steps;
}

void describe(WindowBuilder& window) {
  window.module(1, 1, 0x1000, 0x9000, 0, "id", "/bin/program");
  for (uint32_t site = 1; site <= kSites; ++site) {
    window.site(2, site, site == 1 ? 0 : 1, 1, 0x1000 + 0x10 * site);
  }
}

void write_as_malloc(WindowBuilder& window, const Step& step) {
  if (step.event == Event::kBirth) window.malloc(step.time, step.pointer, step.size, step.site);
  if (step.event == Event::kDeath) window.free(step.time, step.pointer);
  if (step.event == Event::kResize) {
    window.resize(step.time, step.old_pointer, step.time, step.pointer, step.size, step.site);
  }
}

HeapEvent in_pool(const Step& step, uint32_t heap) {
  HeapEvent event;
  event.event = step.event;
  event.heap = heap;
  event.function = static_cast<uint32_t>(Function::kPoolAllocate);
  event.old_pointer = step.old_pointer;
  event.pointer = step.pointer;
  event.size = step.size;
  event.site = step.site;
  return event;
}

std::string as_malloc(const std::vector<Step>& history) {
  LedgerBuilder ledger;
  WindowBuilder& window = ledger.window(0);
  describe(window);
  for (const Step& step : history) write_as_malloc(window, step);
  window.marker(70'000, "end");
  return ledger.bytes();
}

std::string as_both(const std::vector<Step>& malloc_history, const std::vector<Step>& pool_history,
                    std::string_view name) {
  LedgerBuilder ledger;
  WindowBuilder& window = ledger.window(0);
  describe(window);
  window.heap(3, kPool, HeapKind::kPool, name);
  size_t next = 0;
  for (const Step& step : malloc_history) {
    for (; next < pool_history.size() && pool_history[next].time <= step.time; ++next) {
      window.event(pool_history[next].time, in_pool(pool_history[next], kPool));
    }
    write_as_malloc(window, step);
  }
  for (; next < pool_history.size(); ++next) {
    window.event(pool_history[next].time, in_pool(pool_history[next], kPool));
  }
  window.marker(70'000, "end");
  return ledger.bytes();
}

void expect_equal(const Figures& a, const Figures& b) {
  EXPECT_EQ(a.calls, b.calls);
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_EQ(a.live_blocks, b.live_blocks);
  EXPECT_EQ(a.live_bytes, b.live_bytes);
  EXPECT_EQ(a.frees, b.frees);
  EXPECT_EQ(a.ended_bytes, b.ended_bytes);
  EXPECT_EQ(a.temporary_calls, b.temporary_calls);
  EXPECT_EQ(a.resizes, b.resizes);
  EXPECT_EQ(a.moved_bytes, b.moved_bytes);
  EXPECT_EQ(a.smallest, b.smallest);
  EXPECT_EQ(a.largest, b.largest);
  EXPECT_EQ(a.peak_bytes, b.peak_bytes);
  EXPECT_EQ(a.peak_blocks, b.peak_blocks);
  EXPECT_EQ(a.peak_time_ns, b.peak_time_ns);
  EXPECT_EQ(a.lifetimes.count(), b.lifetimes.count());
}

void expect_equal(const Answer& a, const Answer& b) {
  expect_equal(a.totals, b.totals);
  EXPECT_EQ(a.end_ns, b.end_ns);
  ASSERT_EQ(a.rows.size(), b.rows.size());
  for (size_t i = 0; i < a.rows.size(); ++i) {
    EXPECT_EQ(a.rows[i].name, b.rows[i].name);
    expect_equal(a.rows[i].all, b.rows[i].all);
    expect_equal(a.rows[i].self, b.rows[i].self);
  }
}

std::vector<Question> many_questions() {
  std::vector<Question> questions;
  for (GroupBy by : {GroupBy::kNothing, GroupBy::kSite, GroupBy::kFunction, GroupBy::kThread,
                     GroupBy::kSize, GroupBy::kSizeClass, GroupBy::kLifetimeClass}) {
    for (const char* at : {"peak", "end", "40%"}) {
      Question question;
      question.by = by;
      question.at = parse_moment(at);
      questions.push_back(question);
    }
    Question range;
    range.by = by;
    range.between = {parse_moment("20%"), parse_moment("80%")};
    range.wanted.lifetimes = true;
    questions.push_back(range);
    Question filtered;
    filtered.by = by;
    filtered.filter = parse_filter("size>=100,size<700");
    questions.push_back(filtered);
  }
  return questions;
}

class Heaps : public testing::TestWithParam<uint64_t> {
 protected:
  const std::vector<Step> one_ = random_history(GetParam());
  const std::vector<Step> other_ = random_history(GetParam() + 100);
  Ledgers alone_ = open_bytes({as_malloc(one_)});
  Ledgers pool_alone_ = open_bytes({as_malloc(other_)});
  Ledgers both_ = open_bytes({as_both(one_, other_, "arena")});
};

TEST_P(Heaps, APoolChangesNothingForMalloc) {
  for (const Question& question : many_questions()) {
    expect_equal(both_.ask(question), alone_.ask(question));
  }
  EXPECT_EQ(both_.overview().totals.peak_bytes, alone_.overview().totals.peak_bytes);
  EXPECT_EQ(both_.ask(Question{}).heaps, "malloc");
}

TEST_P(Heaps, APoolIsAskedAsMallocIs) {
  for (Question question : many_questions()) {
    Answer expected = pool_alone_.ask(question);
    question.filter.heaps = {{"arena"}, {}};
    Answer answer = both_.ask(question);
    EXPECT_EQ(answer.heaps, "arena");
    expect_equal(answer, expected);
  }
}

TEST_P(Heaps, WhatIsLookedAtIsWhatTheOverviewIsOf) {
  both_.look_at({{"arena"}, {}});
  const Overview& overview = both_.overview();
  const Overview& expected = pool_alone_.overview();
  EXPECT_EQ(overview.totals.peak_bytes, expected.totals.peak_bytes);
  EXPECT_EQ(overview.never_freed_bytes, expected.never_freed_bytes);
  EXPECT_EQ(overview.sizes.count(), expected.sizes.count());
  EXPECT_EQ(both_.overview().sums.calls, pool_alone_.overview().sums.calls);
  expect_equal(both_.ask(Question{}), pool_alone_.ask(Question{}));
  both_.look_at({});
  EXPECT_EQ(both_.overview().totals.peak_bytes, alone_.overview().totals.peak_bytes);
}

TEST_P(Heaps, ByHeapHasARowForEachAndAddsUpMallocAlone) {
  Question question;
  question.by = GroupBy::kHeap;
  question.at = parse_moment("end");
  Answer answer = both_.ask(question);
  question.by = GroupBy::kNothing;
  expect_equal(answer.totals, alone_.ask(question).totals);
  std::map<std::string, const Row*> rows;
  for (const Row& row : answer.rows) rows[row.name] = &row;
  ASSERT_EQ(rows.size(), 2u);
  expect_equal(rows["malloc"]->all, alone_.ask(question).totals);
  expect_equal(rows["arena"]->all, pool_alone_.ask(question).totals);
}

TEST_P(Heaps, APoolIsNeverAddedToMalloc) {
  Question question;
  question.filter.heaps = {{"*"}, {}};
  Answer answer = both_.ask(question);
  EXPECT_EQ(answer.heaps, "malloc");
  expect_equal(answer, alone_.ask(Question{}));
}

INSTANTIATE_TEST_SUITE_P(Seeds, Heaps, testing::Range<uint64_t>(1, 5));

HeapEvent mapping(Event what, uint64_t from, uint64_t bytes, uint32_t site = 1) {
  HeapEvent event;
  event.event = what;
  event.heap = format::kMappingHeap;
  event.pointer = from;
  event.size = bytes;
  event.site = site;
  return event;
}

// Pages, each either of nobody or of the site that mapped it last.
TEST(Heaps, MappingsAreFollowedPageByPage) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    LedgerBuilder ledger;
    WindowBuilder& window = ledger.window(0);
    describe(window);
    std::vector<uint32_t> owner(64);
    uint64_t peak = 0;
    uint64_t mapped = 0;
    for (uint64_t time = 100; time < 20'100; time += 100) {
      uint64_t first = random() % owner.size();
      uint64_t count = 1 + random() % (owner.size() - first);
      uint32_t site = random() % 2 == 0 ? 0 : static_cast<uint32_t>(1 + random() % kSites);
      window.event(time, mapping(site == 0 ? Event::kDeath : Event::kBirth, 4096 * (16 + first),
                                 4096 * count, site));
      std::fill_n(owner.begin() + static_cast<long>(first), count, site);
      mapped += site == 0 ? 0 : 4096 * count;
      uint64_t live = 4096 * static_cast<uint64_t>(owner.size()) -
                      4096 * static_cast<uint64_t>(std::count(owner.begin(), owner.end(), 0u));
      peak = std::max(peak, live);
    }
    Ledgers ledgers = open_bytes({ledger.bytes()});
    Question question;
    question.at = parse_moment("end");
    question.filter.heaps = {{"mmap"}, {}};
    Answer answer = ledgers.ask(question);
    EXPECT_EQ(answer.totals.bytes, mapped);
    EXPECT_EQ(answer.totals.peak_bytes, peak);
    std::multiset<uint64_t> expected, found;
    for (uint32_t site = 1; site <= kSites; ++site) {
      auto pages = std::count(owner.begin(), owner.end(), site);
      if (pages > 0) expected.insert(4096 * static_cast<uint64_t>(pages));
    }
    for (const Row& row : answer.rows) {
      if (row.all.live_bytes > 0) found.insert(row.all.live_bytes);
    }
    EXPECT_EQ(found, expected);
    EXPECT_EQ(answer.totals.live_bytes + answer.totals.ended_bytes, mapped);
  }
}

TEST(Heaps, OneThatIsNotThereIsRefusedWithTheNamesOfTheOthers) {
  Ledgers ledgers = open_bytes({as_both(random_history(1), random_history(2), "arena")});
  Question question;
  question.filter.heaps = {{"gpu"}, {}};
  try {
    ledgers.ask(question);
    FAIL() << "was answered";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), "no heap fits 'gpu'; there are: malloc, arena");
  }
}

TEST(Heaps, ANameMayComeAfterTheFirstBlock) {
  LedgerBuilder ledger;
  WindowBuilder& window = ledger.window(0);
  describe(window);
  window.event(100, in_pool({100, Event::kBirth, 0, 0x5000, 33, 1}, kPool));
  window.heap(200, kPool, HeapKind::kPool, "late");
  window.event(300, in_pool({300, Event::kBirth, 0, 0x6000, 44, 1}, kPool + 1));
  Ledgers ledgers = open_bytes({ledger.bytes()});
  Question question;
  question.filter.heaps = {{"late"}, {}};
  EXPECT_EQ(ledgers.ask(question).totals.bytes, 33u);
  question.filter.heaps = {{"pool 2"}, {}};
  EXPECT_EQ(ledgers.ask(question).totals.bytes, 44u);
}

TEST(Frames, OneWithoutAnAddressHasItsNameFileAndLine) {
  LedgerBuilder ledger;
  WindowBuilder& window = ledger.window(0);
  describe(window);
  window.frame(3, 20, 1, format::FrameKind::kInterpreted, "work.py", 12, "work");
  window.frame(4, 21, 20, format::FrameKind::kNamed, "", 0, "inner");
  window.malloc(100, 0x5000, 10, 21);
  Ledgers ledgers = open_bytes({ledger.bytes()});
  Answer answer = ledgers.ask(Question{});
  ASSERT_EQ(answer.rows.size(), 1u);
  std::vector<NamedFrame> frames = ledgers.frames(answer.rows[0].site);
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[0].name, "inner");
  EXPECT_EQ(frames[1].function, "work");
  EXPECT_EQ(frames[1].file, "work.py");
  EXPECT_EQ(frames[1].line, 12u);
  Question by_line;
  by_line.by = GroupBy::kFunction;
  std::set<std::string> functions;
  for (const Row& row : ledgers.ask(by_line).rows) functions.insert(row.name);
  EXPECT_TRUE(functions.count("work") == 1 && functions.count("inner") == 1);
}

}  // namespace
}  // namespace heapledger
