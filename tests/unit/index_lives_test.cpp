// The index by thread, size, lifetime and process: groups by them, and filters whose bounds are
// those of classes, are what a pass and the model say, of exact and of sampled recordings; and
// nothing is read for them.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "analyzer/index/life_classes.h"
#include "analyzer/query/answer_json.h"
#include "analyzer/query/classes.h"
#include "analyzer/query/question_json.h"
#include "counting_source.h"
#include "format/layout.h"
#include "format/modes.h"
#include "query_asker.h"
#include "seal_bytes.h"

namespace heapledger {
namespace {

using test::Cut;
using test::World;

// Sums of doubles depend on their order a little.
void round_errors(Figures& figures) {
  for (double Estimates::*error : {&Estimates::calls_error, &Estimates::bytes_error,
                                   &Estimates::live_error, &Estimates::peak_error}) {
    figures.*error = static_cast<double>(static_cast<float>(figures.*error));
  }
}

// Peaks of what a filter on stacks leaves are known to a pass alone, and said by it alone.
std::string text_of(Answer answer, const Question& question) {
  if (question.filter.on_stacks()) {
    answer.totals.has_peak = false;
    answer.totals.peak_bytes = answer.totals.peak_blocks = answer.totals.peak_time_ns = 0;
    answer.totals.peak_error = 0;
  }
  round_errors(answer.totals);
  for (Row& row : answer.rows) {
    round_errors(row.all);
    round_errors(row.self);
  }
  for (TreeNode& node : answer.tree) {
    round_errors(node.all);
    round_errors(node.self);
  }
  return to_json(answer).line();
}

struct Condition {
  const char* text;
  World::Choose choose;
};

const std::vector<Condition>& conditions() {
  static const std::vector<Condition> all = {
      {"size>=64", [](const test::Block& b) { return b.size >= 64; }},
      {"size<1k", [](const test::Block& b) { return b.size < 1024; }},
      {"size=0..0", [](const test::Block& b) { return b.size == 0; }},
      {"size=32..127", [](const test::Block& b) { return b.size >= 32 && b.size < 128; }},
      {"lifetime<10us", [](const test::Block& b) { return b.lifetime() < 10'000; }},
      {"lifetime>=1us", [](const test::Block& b) { return b.lifetime() >= 1000; }},
      {"lifetime=never", [](const test::Block& b) { return b.death == UINT64_MAX; }},
      {"lifetime<never", [](const test::Block& b) { return b.death != UINT64_MAX; }},
      {"thread=worker*", [](const test::Block& b) { return b.thread != 0; }},
      {"thread=!main", [](const test::Block& b) { return b.thread != 0; }},
  };
  return all;
}

constexpr GroupBy kGroups[] = {GroupBy::kNothing,       GroupBy::kSite,      GroupBy::kFunction,
                               GroupBy::kOwner,         GroupBy::kPart,      GroupBy::kThread,
                               GroupBy::kLifetimeClass, GroupBy::kSizeClass, GroupBy::kLedger};

enum class Mode { kExact, kEachTenth, kByBytes };

class IndexLives : public testing::TestWithParam<uint64_t> {
 protected:
  IndexLives() : world_(GetParam(), 1 + static_cast<uint32_t>(GetParam() % 3), 3000) {}

  void make(Mode mode) {
    files_ = world_.files();
    if (mode == Mode::kExact) return;
    for (std::string& file : files_) {
      format::FileHeader header;
      std::memcpy(&header, file.data(), sizeof header);
      header.mode = format::kModeSample;
      if (mode == Mode::kEachTenth) header.sample_calls = 10;
      if (mode == Mode::kByBytes) header.sample_bytes = 200;
      std::memcpy(file.data(), &header, sizeof header);
    }
  }

  Ledgers open(const Options& options = {}) {
    std::vector<Ledgers::Opener> openers;
    for (const std::string& file : files_) {
      openers.emplace_back(
          [this, &file] { return std::make_unique<test::CountingSource>(file, read_); });
    }
    Ledgers ledgers(std::move(openers), options);
    ledgers.use_symbols(&world_.symbols());
    return ledgers;
  }

  struct Asked {
    Question question;
    Cut begin;
    Cut end;
    World::Choose choose;
  };

  Asked choose(const Edges& edges, std::mt19937_64& random) {
    // Single accounts have fewer edges than the rest: one of eight is among them.
    auto edge = [&] {
      const auto eighth = static_cast<uint32_t>(1 + random() % (edges.count / 8 - 1));
      return edges.time_of(eighth * 8 - 1);
    };
    auto at = [](uint64_t time) { return MomentSpec{MomentSpec::Kind::kTime, time, 0, {}}; };
    Asked asked;
    uint64_t a = edge(), b = edge();
    if (a > b) std::swap(a, b);
    asked.end = world_.at_time(b);
    if (random() % 2 == 0) {
      asked.question.at = at(b);
    } else {
      MomentSpec first = at(a), second = at(b);
      asked.begin = world_.at_time(a);
      if (random() % 4 == 0) {
        first = parse_moment("start");
        asked.begin = {0, 0};
      }
      if (random() % 4 == 0) {
        second = parse_moment("end");
        asked.end = test::kEnd;
      }
      asked.question.between = {first, second};
    }
    std::string filter;
    std::vector<World::Choose> all;
    for (size_t i = random() % 3; i > 0; --i) {
      const Condition& condition = conditions()[random() % conditions().size()];
      filter += (filter.empty() ? "" : ",") + std::string(condition.text);
      all.push_back(condition.choose);
    }
    if (random() % 3 == 0) {
      filter += std::string(filter.empty() ? "" : ",") + "function=!parse";
      all.emplace_back([this](const test::Block& block) {
        const std::vector<test::Place>& stack = world_.stack(block.site);
        return std::none_of(stack.begin(), stack.end(), [](const test::Place& place) {
          return place.function.find("parse") != std::string::npos;
        });
      });
    }
    if (!filter.empty()) asked.question.filter = parse_filter(filter);
    if (files_.size() > 1 && random() % 4 == 0) {
      const auto ledger = static_cast<uint32_t>(random() % files_.size());
      asked.question.ledger = ledger;
      all.emplace_back([ledger](const test::Block& block) { return block.ledger == ledger; });
    }
    asked.choose = [all](const test::Block& block) {
      return std::all_of(all.begin(), all.end(), [&](const auto& one) { return one(block); });
    };
    asked.question.wanted.no_range_peaks = true;
    return asked;
  }

  test::Sums expected(const Asked& asked) const {
    return asked.question.between ? world_.between(asked.begin, asked.end, asked.choose)
                                  : world_.at(asked.end, asked.choose);
  }

  void compare(Mode mode, int questions) {
    make(mode);
    Ledgers plain = open();
    Ledgers indexed = open();
    ASSERT_TRUE(indexed.make_index());
    std::mt19937_64 random(GetParam());
    for (int i = 0; i < questions; ++i) {
      Asked asked = choose(indexed.edges(), random);
      Question& question = asked.question;
      SCOPED_TRACE(to_json(question).line());
      question.sort = random() % 2 == 0 ? Measure::kLiveBytes : Measure::kBytes;
      question.top = random() % 3 == 0 ? 3 : SIZE_MAX;
      for (GroupBy by : kGroups) {
        question.by = by;
        SCOPED_TRACE(name_of(by));
        if (!indexed.is_in_index(question)) {
          // Bounds that leave nothing: conditions were drawn that exclude each other.
          EXPECT_TRUE(!size_classes_of(question.filter.size) ||
                      !lifetime_classes_of(question.filter.lifetime_ns));
          break;
        }
        const uint64_t before = read_;
        const Answer is = indexed.ask(question);
        EXPECT_EQ(read_, before);
        EXPECT_EQ(text_of(is, question), text_of(plain.ask(question), question));
        if (by == GroupBy::kThread && mode == Mode::kExact) {
          test::expect_same(is.totals, expected(asked), "totals");
        }
      }
      question.tree = TreeShape::kTopDown;
      question.top = SIZE_MAX;
      EXPECT_EQ(text_of(indexed.ask(question), question), text_of(plain.ask(question), question));
      ASSERT_FALSE(HasFailure());
    }
  }

  World world_;
  std::vector<std::string> files_;
  uint64_t read_ = 0;
};

TEST_P(IndexLives, SayWhatAPassAndTheModelSay) {
  compare(Mode::kExact, 12);
}

TEST_P(IndexLives, OfSamplesWithTheErrorsOfAPass) {
  compare(GetParam() % 2 == 0 ? Mode::kEachTenth : Mode::kByBytes, 6);
}

// Between edges and at moments with names, sealed ledgers take a scan from the checkpoint before
// the moment, and what it does not tell is in the index.
TEST_P(IndexLives, OfSealedLedgersSayWhatIsLiveAtAnyMoment) {
  make(GetParam() % 3 == 0 ? Mode::kByBytes : Mode::kExact);
  Ledgers plain = open();
  for (std::string& file : files_) file = test::sealed(file);
  Ledgers indexed = open();
  ASSERT_TRUE(indexed.make_index());
  std::mt19937_64 random(GetParam());
  for (int i = 0; i < 8; ++i) {
    Question question = choose(indexed.edges(), random).question;
    question.between.reset();
    question.filter.lifetime_ns = {};
    question.at = {MomentSpec::Kind::kTime, random() % world_.last_time(), 0, {}};
    if (i % 4 == 3) question.at = parse_moment(i % 8 == 3 ? "peak" : "rss-peak");
    SCOPED_TRACE(to_json(question).line());
    for (GroupBy by : kGroups) {
      if (by == GroupBy::kLifetimeClass) continue;
      question.by = by;
      SCOPED_TRACE(name_of(by));
      EXPECT_EQ(text_of(indexed.ask(question), question), text_of(plain.ask(question), question));
      ASSERT_FALSE(HasFailure());
    }
  }
}

// Where peaks are wanted, or a bound is within a class, it is a pass.
TEST_P(IndexLives, LeaveTheRestToPasses) {
  make(Mode::kExact);
  Ledgers ledgers = open();
  ASSERT_TRUE(ledgers.make_index());
  Question question;
  question.at = {
      MomentSpec::Kind::kTime, ledgers.edges().time_of(ledgers.edges().count / 2), 0, {}};
  question.by = GroupBy::kThread;
  EXPECT_FALSE(ledgers.is_in_index(question));
  EXPECT_TRUE(ledgers.ask(question).totals.has_peak);
  question.wanted.no_range_peaks = true;
  EXPECT_TRUE(ledgers.is_in_index(question));
  for (const char* filter : {"size>=100", "size<1000", "lifetime<2us", "time>=1us"}) {
    question.filter = parse_filter(filter);
    EXPECT_FALSE(ledgers.is_in_index(question)) << filter;
  }
  question.filter = {};
  question.by = GroupBy::kSize;
  EXPECT_FALSE(ledgers.is_in_index(question));
}

// With too many rows edges get fewer, and stay exact; with far too many there are none.
TEST_P(IndexLives, StayExactWhereRowsAreTooMany) {
  make(Mode::kExact);
  Ledgers plain = open();
  Ledgers full = open();
  ASSERT_TRUE(full.make_index());
  Options little;
  little.index_rows = 8000;
  Ledgers small = open(little);
  ASSERT_TRUE(small.make_index());
  std::mt19937_64 random(GetParam());
  int in_index = 0;
  for (int i = 0; i < 20; ++i) {
    Asked asked = choose(full.edges(), random);
    asked.question.by = GroupBy::kThread;
    if (!small.is_in_index(asked.question)) continue;
    ++in_index;
    EXPECT_EQ(text_of(small.ask(asked.question), asked.question),
              text_of(plain.ask(asked.question), asked.question));
  }
  EXPECT_GT(in_index, 0);
  Options hardly;
  hardly.index_rows = 1500;
  Ledgers none = open(hardly);
  ASSERT_TRUE(none.make_index());
  Asked asked = choose(none.edges(), random);
  asked.question.by = GroupBy::kThread;
  EXPECT_FALSE(none.is_in_index(asked.question));
}

TEST_P(IndexLives, HaveTimelines) {
  make(Mode::kExact);
  Ledgers ledgers = open();
  ASSERT_TRUE(ledgers.make_index());
  for (const Condition& condition : conditions()) {
    SCOPED_TRACE(condition.text);
    Question question;
    question.filter = parse_filter(condition.text);
    const uint64_t before = read_;
    const Timeline line = ledgers.timeline(question);
    EXPECT_EQ(read_, before);
    ASSERT_EQ(line.live_bytes.size(), line.edges.count);
    for (uint32_t edge = 1; edge + 1 < line.edges.count; edge += 61) {
      const Cut from = world_.at_time(line.edges.time_of(edge - 1));
      const Cut to = world_.at_time(line.edges.time_of(edge));
      const test::Sums bucket = world_.between(from, to, condition.choose);
      EXPECT_EQ(line.calls[edge], bucket.calls) << edge;
      EXPECT_EQ(line.bytes[edge], bucket.bytes) << edge;
      EXPECT_EQ(line.ended_blocks[edge], bucket.ended_blocks) << edge;
      EXPECT_EQ(line.ended_bytes[edge], bucket.ended_bytes) << edge;
      const test::Sums live = world_.at(to, condition.choose);
      EXPECT_EQ(line.live_bytes[edge], live.live_bytes) << edge;
      EXPECT_EQ(line.live_blocks[edge], live.live_blocks) << edge;
      ASSERT_FALSE(HasFailure());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Worlds, IndexLives, testing::Range<uint64_t>(1, 7));

void expect_sizes(uint64_t least, uint64_t most, uint32_t first, uint32_t last) {
  const std::optional<ClassRange> range = size_classes_of({least, most});
  ASSERT_TRUE(range) << least << ".." << most;
  EXPECT_EQ(range->first, first);
  EXPECT_EQ(range->last, last);
}

TEST(LifeClasses, AreThoseBetweenBounds) {
  expect_sizes(0, UINT64_MAX, 0, 64);
  expect_sizes(0, 0, 0, 0);
  expect_sizes(1, 1, 1, 1);
  expect_sizes(2, 3, 2, 2);
  expect_sizes(1024, (1u << 20) - 1, 11, 20);
  for (const Bounds& bounds : {Bounds{0, 1024}, Bounds{3, UINT64_MAX}, Bounds{4, 3}}) {
    EXPECT_FALSE(size_classes_of(bounds)) << bounds.least << ".." << bounds.most;
  }
  const std::optional<ClassRange> never = lifetime_classes_of({UINT64_MAX, UINT64_MAX});
  ASSERT_TRUE(never);
  EXPECT_EQ(never->first, kLifetimeClassCount);
  const std::optional<ClassRange> freed = lifetime_classes_of({0, UINT64_MAX - 1});
  ASSERT_TRUE(freed);
  EXPECT_EQ(freed->last, kLifetimeClassCount - 1);
  EXPECT_EQ(lifetime_classes_of({1000, UINT64_MAX})->last, kLifetimeClassCount);
  EXPECT_EQ(lifetime_classes_of({1000, 9999})->last, 1);
  EXPECT_FALSE(lifetime_classes_of({1000, 10'000}));
  EXPECT_FALSE(lifetime_classes_of({UINT64_MAX, 10'000}));
}

}  // namespace
}  // namespace heapledger
