// Recordings that are hard on an index, or hardly any: what it says is what was written into them.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/error.h"
#include "counting_source.h"
#include "ledger_builder.h"
#include "query_bytes.h"

namespace heapledger {
namespace {

struct Life {
  uint64_t birth = 0;
  uint64_t death = 0;  // 0: never
  uint64_t size = 0;
  uint32_t site = 1;
};

// Births and deaths at times that are all different; `sites`: as many are described.
std::string ledger_of(const std::vector<Life>& lives, uint32_t sites) {
  struct Event {
    uint64_t time;
    size_t life;
    bool is_birth;
  };
  std::vector<Event> events;
  for (size_t i = 0; i < lives.size(); ++i) {
    events.push_back({lives[i].birth, i, true});
    if (lives[i].death > 0) events.push_back({lives[i].death, i, false});
  }
  std::sort(events.begin(), events.end(),
            [](const Event& a, const Event& b) { return a.time < b.time; });
  test::LedgerBuilder ledger;
  const uint64_t end = events.back().time + 1;
  ledger.header.latest[1] = {test::kStartTicks + end, 9'000'000'000 + end,
                             test::kStartRealtime + end};
  test::WindowBuilder& window = ledger.window(0);
  window.module(0, 1, 0x1000, 0x100000, 0x1000, "/bin/program", "id");
  for (uint32_t site = 1; site <= sites; ++site) window.site(0, site, 0, 1, 0x2000 + 16 * site);
  for (const Event& event : events) {
    const Life& life = lives[event.life];
    const uint64_t address = 0x10000000 + 4096 * event.life;
    if (event.is_birth) {
      window.malloc(event.time, address, life.size, life.site);
    } else {
      window.free(event.time, address);
    }
  }
  window.flush();
  return ledger.bytes();
}

void expect_right(Ledgers& ledgers, const std::vector<Life>& lives) {
  const Edges edges = ledgers.edges();
  ASSERT_GT(edges.count, 1u);
  const Timeline line = ledgers.timeline({});
  for (uint32_t edge = 0; edge + 1 < edges.count; ++edge) {
    const uint64_t end = edges.time_of(edge);
    const uint64_t begin = edge == 0 ? 0 : edges.time_of(edge - 1) + 1;
    uint64_t live = 0, calls = 0, ended = 0;
    for (const Life& life : lives) {
      const bool is_freed = life.death > 0;
      if (life.birth <= end && (!is_freed || life.death > end)) live += life.size;
      if (life.birth >= begin && life.birth <= end) ++calls;
      if (is_freed && life.death >= begin && life.death <= end) ++ended;
    }
    ASSERT_EQ(line.live_bytes[edge], live) << edge;
    ASSERT_EQ(line.calls[edge], calls) << edge;
    ASSERT_EQ(line.ended_blocks[edge], ended) << edge;
    if (edge % 50 != 0) continue;
    Question question;
    question.at = {MomentSpec::Kind::kTime, end, 0, {}};
    question.by = GroupBy::kFunction;
    EXPECT_EQ(ledgers.ask(question).totals.live_bytes, live);
  }
}

TEST(IndexExtremes, OneSite) {
  std::vector<Life> lives;
  for (uint64_t i = 1; i < 3000; ++i) lives.push_back({i * 1000, i * 1000 + 1 + i * i % 90'000, i});
  for (Life& life : lives) life.death |= 1;  // births are at even times
  Ledgers ledgers = test::open_bytes({ledger_of(lives, 1)});
  ASSERT_TRUE(ledgers.make_index());
  expect_right(ledgers, lives);
}

TEST(IndexExtremes, NothingIsFreed) {
  std::vector<Life> lives;
  for (uint32_t i = 1; i < 3000; ++i) lives.push_back({i * 7000, 0, i, 1 + i % 40});
  Ledgers ledgers = test::open_bytes({ledger_of(lives, 40)});
  ASSERT_TRUE(ledgers.make_index());
  expect_right(ledgers, lives);
}

TEST(IndexExtremes, ARunOfThreeMilliseconds) {
  std::vector<Life> lives;
  for (uint64_t i = 1; i < 1500; ++i) lives.push_back({i * 2000, i * 2000 + 7001, 10 + i % 100});
  Ledgers ledgers = test::open_bytes({ledger_of(lives, 1)});
  ASSERT_TRUE(ledgers.make_index());
  EXPECT_LT(ledgers.overview().duration_ns, 4'000'000u);
  expect_right(ledgers, lives);
}

TEST(IndexExtremes, ARunOfADay) {
  constexpr uint64_t kMinute = 60'000'000'000;
  std::vector<Life> lives;
  for (uint64_t i = 1; i < 24 * 60; ++i) {
    lives.push_back({i * kMinute, i % 3 == 0 ? 0 : i * kMinute + 100 * kMinute + 1, 10 + i % 100});
  }
  Ledgers ledgers = test::open_bytes({ledger_of(lives, 1)});
  ASSERT_TRUE(ledgers.make_index());
  EXPECT_GT(ledgers.overview().duration_ns, 24 * 60 * kMinute);
  expect_right(ledgers, lives);
}

// As many as there are blocks, told apart by their sizes as well.
TEST(IndexExtremes, ManySites) {
  std::vector<Life> lives;
  for (uint32_t i = 1; i <= 8000; ++i) {
    lives.push_back({i * 2000, i * 2000 + 1'000'001, 1 + i % 3000, i});
  }
  Ledgers ledgers = test::open_bytes({ledger_of(lives, 8000)});
  ASSERT_TRUE(ledgers.make_index());
  expect_right(ledgers, lives);
  Question large;
  large.by = GroupBy::kSite;
  large.filter = parse_filter("size>=1k");
  large.wanted.no_range_peaks = true;
  large.between = {parse_moment("start"), parse_moment("end")};
  ASSERT_TRUE(ledgers.is_in_index(large));
  const auto are_large =
      std::count_if(lives.begin(), lives.end(), [](const Life& life) { return life.size >= 1024; });
  const Answer answer = ledgers.ask(large);
  EXPECT_EQ(answer.totals.calls, static_cast<uint64_t>(are_large));
  EXPECT_EQ(answer.groups, static_cast<uint64_t>(are_large));
}

// Every pair of a birth's and a death's bucket is there, for many sites: more rows than are kept.
TEST(IndexExtremes, RandomLivesWithMoreRowsThanTheBound) {
  std::mt19937_64 random(5);
  std::vector<Life> lives;
  for (uint64_t i = 1; i < 20'000; ++i) {
    const uint64_t birth = i * 10'000;
    const uint64_t death = birth + 1 + 2 * (random() % 50'000'000);
    lives.push_back({birth, death, 1 + random() % 5000, static_cast<uint32_t>(1 + random() % 100)});
  }
  Options options;
  options.index_rows = 4000;
  Ledgers ledgers = test::open_bytes({ledger_of(lives, 100)}, options);
  ASSERT_TRUE(ledgers.make_index());
  EXPECT_LT(ledgers.edges().count, 200u);
  EXPECT_GT(ledgers.edges().count, 2u);
  expect_right(ledgers, lives);
}

uint64_t live_at(const std::vector<Life>& lives, uint64_t time) {
  uint64_t live = 0;
  for (const Life& life : lives) {
    if (life.birth <= time && (life.death == 0 || life.death > time)) live += life.size;
  }
  return live;
}

// Nearly every account in nearly every bucket: there is room for what is live at the edges, and
// none for what happens between them, which takes a pass.
TEST(IndexExtremes, WhatChangesIsLeftOutWhereNearlyAllDoesAllTheTime) {
  std::vector<Life> lives;
  for (uint32_t i = 1; i <= 40'000; ++i) {
    lives.push_back({i * 2000, i * 2000 + 100'001, 1 + i % 3000, 1 + i % 4000});
  }
  Options options;
  options.index_rows = 5000;
  uint64_t read = 0;
  const std::string bytes = ledger_of(lives, 4000);
  std::vector<Ledgers::Opener> openers;
  openers.emplace_back([&] { return std::make_unique<test::CountingSource>(bytes, read); });
  Ledgers ledgers(std::move(openers), options);
  ASSERT_TRUE(ledgers.make_index());
  const Edges edges = ledgers.edges();
  ASSERT_GE(edges.count, 4u);
  const uint64_t before = read;
  const Timeline line = ledgers.timeline({});
  EXPECT_TRUE(line.calls.empty());
  for (uint32_t edge = 0; edge + 1 < edges.count; ++edge) {
    const uint64_t live = live_at(lives, edges.time_of(edge));
    EXPECT_EQ(line.live_bytes[edge], live) << edge;
    Question question;
    question.at = {MomentSpec::Kind::kTime, edges.time_of(edge), 0, {}};
    question.by = GroupBy::kFunction;
    EXPECT_EQ(ledgers.ask(question).totals.live_bytes, live) << edge;
  }
  EXPECT_EQ(read, before);
  EXPECT_THROW(ledgers.cohorts({}, 16), Error);

  Question range;
  range.between = {parse_moment("start"), {MomentSpec::Kind::kTime, edges.time_of(1), 0, {}}};
  range.by = GroupBy::kSite;
  range.wanted.no_range_peaks = true;
  EXPECT_FALSE(ledgers.is_in_index(range));
  const auto calls = std::count_if(
      lives.begin(), lives.end(), [&](const Life& life) { return life.birth <= edges.time_of(1); });
  EXPECT_EQ(ledgers.ask(range).totals.calls, static_cast<uint64_t>(calls));
  EXPECT_GT(read, before);
}

// Few accounts change at a time, and many blocks stay: halving one does not halve the other.
TEST(IndexExtremes, WhatStaysAndWhatChangesHaveEdgesOfTheirOwn) {
  std::vector<Life> lives;
  std::mt19937_64 random(7);
  for (uint32_t i = 1; i <= 30'000; ++i) {
    lives.push_back({i * 2000, i * 2000 + 1 + 2 * (random() % 10'000'000), 8, 1 + i / 100});
  }
  Options options;
  options.index_rows = 3000;
  Ledgers ledgers = test::open_bytes({ledger_of(lives, 301)}, options);
  ASSERT_TRUE(ledgers.make_index());
  const Edges edges = ledgers.edges();
  for (uint32_t edge = 1; edge + 1 < edges.count; edge += 3) {
    Question range;
    range.between = {{MomentSpec::Kind::kTime, edges.time_of(edge - 1), 0, {}},
                     {MomentSpec::Kind::kTime, edges.time_of(edge), 0, {}}};
    range.wanted.no_range_peaks = true;
    ASSERT_TRUE(ledgers.is_in_index(range));
    const auto calls = std::count_if(lives.begin(), lives.end(), [&](const Life& life) {
      return life.birth > edges.time_of(edge - 1) && life.birth <= edges.time_of(edge);
    });
    EXPECT_EQ(ledgers.ask(range).totals.calls, static_cast<uint64_t>(calls)) << edge;
  }
}

// What is born stays, everywhere: hardly an edge would be left, and there is no index.
TEST(IndexExtremes, TooManyRowsForAnyNumberOfEdges) {
  std::vector<Life> lives;
  for (uint32_t i = 1; i <= 40'000; ++i) lives.push_back({i * 2000, 0, 1 + i % 3000, 1 + i % 4000});
  Options options;
  options.index_rows = 5000;
  Ledgers ledgers = test::open_bytes({ledger_of(lives, 4000)}, options);
  EXPECT_FALSE(ledgers.make_index());
  EXPECT_EQ(ledgers.edges().count, 0u);
  Question question;
  question.at = {MomentSpec::Kind::kTime, 40'000'001, 0, {}};
  question.by = GroupBy::kSite;
  EXPECT_EQ(ledgers.ask(question).totals.live_bytes, live_at(lives, 40'000'001));
}

}  // namespace
}  // namespace heapledger
