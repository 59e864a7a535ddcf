// The index: at its edges and between them it says what a pass says, and what the model says, and
// reads nothing for it.
#include <gtest/gtest.h>

#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/index/cube.h"
#include "analyzer/query/answer_json.h"
#include "analyzer/query/question_json.h"
#include "counting_source.h"
#include "query_asker.h"
#include "seal_bytes.h"

namespace heapledger {
namespace {

using test::Cut;
using test::World;

constexpr GroupBy kByStack[] = {GroupBy::kNothing, GroupBy::kSite, GroupBy::kFunction,
                                GroupBy::kFile,    GroupBy::kLine, GroupBy::kModule,
                                GroupBy::kOwner,   GroupBy::kPart};

// Peaks of what a filter leaves are known to a pass alone, and said by it alone.
void forget_peak(Figures& figures) {
  figures.has_peak = false;
  figures.peak_bytes = figures.peak_blocks = figures.peak_time_ns = 0;
}

std::string text_of(Answer answer, const Question& question) {
  if (question.filter.on_stacks()) forget_peak(answer.totals);
  return to_json(answer).line();
}

class Index : public testing::TestWithParam<uint64_t> {
 protected:
  Index() : world_(GetParam(), 1 + static_cast<uint32_t>(GetParam() % 3), 4000) {
    files_ = world_.files();
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

  static MomentSpec at(uint64_t time) { return {MomentSpec::Kind::kTime, time, 0, {}}; }

  struct Moments {
    Question question;
    Cut begin;
    Cut end;
  };

  // A moment or a range whose times are edges, the start or the end.
  Moments choose(const Edges& edges, std::mt19937_64& random) {
    // The last edge is behind the end.
    auto edge = [&] { return static_cast<uint32_t>(random() % (edges.count - 1)); };
    Moments moments;
    uint32_t a = edge(), b = edge();
    if (random() % 2 == 0) {
      moments.question.at = at(edges.time_of(a));
      moments.end = world_.at_time(edges.time_of(a));
      return moments;
    }
    if (a > b) std::swap(a, b);
    MomentSpec first = at(edges.time_of(a)), second = at(edges.time_of(b));
    moments.begin = world_.at_time(edges.time_of(a));
    moments.end = world_.at_time(edges.time_of(b));
    if (random() % 4 == 0) {
      first = parse_moment("start");
      moments.begin = {0, 0};
    }
    if (random() % 4 == 0) {
      second = parse_moment("end");
      moments.end = test::kEnd;
    }
    moments.question.between = {first, second};
    moments.question.wanted.no_range_peaks = true;
    return moments;
  }

  test::Sums expected(const Moments& moments) const {
    auto all = [](const test::Block&) { return true; };
    return moments.question.between ? world_.between(moments.begin, moments.end, all)
                                    : world_.at(moments.end, all);
  }

  World world_;
  std::vector<std::string> files_;
  uint64_t read_ = 0;
};

TEST_P(Index, SaysWhatAPassSaysAndWhatTheModelSays) {
  Ledgers plain = open();
  Ledgers indexed = open();
  ASSERT_TRUE(indexed.make_index());
  const Edges edges = indexed.edges();
  ASSERT_GT(edges.count, 8u);
  std::mt19937_64 random(GetParam());
  for (int i = 0; i < 12; ++i) {
    Moments moments = choose(edges, random);
    Question& question = moments.question;
    SCOPED_TRACE(question.between
                     ? to_text(question.between->first) + " to " + to_text(question.between->second)
                     : to_text(question.at));
    const uint64_t before = read_;
    const Figures totals = indexed.ask(question).totals;
    EXPECT_EQ(read_, before);
    test::expect_same(totals, expected(moments), "totals");
    if (random() % 3 == 0) question.filter = parse_filter("function=parse");
    if (random() % 3 == 0) question.filter = parse_filter("module=!libwork*");
    question.sort = random() % 2 == 0 ? Measure::kLiveBytes : Measure::kBytes;
    for (GroupBy by : kByStack) {
      question.by = by;
      SCOPED_TRACE(name_of(by));
      const uint64_t read = read_;
      const std::string is = text_of(indexed.ask(question), question);
      EXPECT_EQ(read_, read);
      EXPECT_EQ(is, text_of(plain.ask(question), question));
    }
    for (TreeShape tree : {TreeShape::kTopDown, TreeShape::kBottomUp}) {
      question.tree = tree;
      EXPECT_EQ(text_of(indexed.ask(question), question), text_of(plain.ask(question), question));
    }
    question.tree = TreeShape::kNone;
    if (!question.between) {
      question.only_live = true;
      EXPECT_EQ(text_of(indexed.ask(question), question), text_of(plain.ask(question), question));
    }
    ASSERT_FALSE(HasFailure());
  }
}

TEST_P(Index, HasFewerEdgesWhereRowsAreTooManyAndStaysExact) {
  Ledgers plain = open();
  Ledgers full = open();
  ASSERT_TRUE(full.make_index());
  Options little;
  little.index_rows = 1200;
  Ledgers small = open(little);
  ASSERT_TRUE(small.make_index());
  // Of what stays, or of what changes.
  bool has_all = small.edges() == full.edges();
  for (uint32_t edge = 1; edge + 1 < full.edges().count && has_all; ++edge) {
    Question bucket;
    bucket.between = {at(full.edges().time_of(edge - 1)), at(full.edges().time_of(edge))};
    bucket.wanted.no_range_peaks = true;
    ASSERT_TRUE(full.is_in_index(bucket));
    has_all = small.is_in_index(bucket);
  }
  EXPECT_FALSE(has_all);
  std::mt19937_64 random(GetParam() + 1);
  for (int i = 0; i < 20 && small.edges().count > 1; ++i) {
    Moments moments = choose(small.edges(), random);
    test::expect_same(small.ask(moments.question).totals, expected(moments), "totals");
    moments.question.by = GroupBy::kSite;
    EXPECT_EQ(to_json(small.ask(moments.question)).line(),
              to_json(plain.ask(moments.question)).line());
    ASSERT_FALSE(HasFailure());
  }
}

// The end of every bucket of the overview's series is an edge.
TEST_P(Index, AgreesWithTheSeries) {
  Ledgers ledgers = open();
  ASSERT_TRUE(ledgers.make_index());
  const Series& series = ledgers.overview().series;
  for (uint32_t edge = 0; edge + 1 < ledgers.edges().count; edge += 7) {
    Question question;
    question.by = GroupBy::kNothing;
    question.at = at(ledgers.edges().time_of(edge));
    EXPECT_EQ(ledgers.ask(question).totals.live_bytes, series.buckets[edge].end_bytes) << edge;
    EXPECT_EQ(ledgers.ask(question).totals.live_blocks, series.buckets[edge].end_blocks) << edge;
  }
}

// What the index does not have takes what it took before.
TEST_P(Index, LeavesOtherQuestionsToPasses) {
  Ledgers plain = open();
  Ledgers indexed = open();
  ASSERT_TRUE(indexed.make_index());
  const uint64_t edge = indexed.edges().time_of(indexed.edges().count / 2);
  Question beside, with_peaks, of_sizes;
  beside.at = at(edge - 1);
  with_peaks.between = {parse_moment("start"), at(edge)};
  of_sizes.at = at(edge);
  of_sizes.filter = parse_filter("size>=100");
  for (const Question& question : {beside, with_peaks, of_sizes}) {
    const uint64_t before = read_;
    const std::string is = text_of(indexed.ask(question), question);
    EXPECT_GT(read_, before);
    EXPECT_EQ(is, text_of(plain.ask(question), question));
  }
}

// Of what is live at an edge sums are there already: whatever sorts, filters or cuts.
TEST_P(Index, FirstRowsAndNodesAreThoseOfAPass) {
  Ledgers plain = open();
  Ledgers indexed = open();
  ASSERT_TRUE(indexed.make_index());
  const Edges edges = indexed.edges();
  std::mt19937_64 random(GetParam() + 77);
  constexpr Measure kSorts[] = {Measure::kLiveBytes, Measure::kLiveBlocks,     Measure::kCalls,
                                Measure::kBytes,     Measure::kTemporaryCalls, Measure::kMovedBytes,
                                Measure::kFrees,     Measure::kAverageSize};
  constexpr const char* kFilters[] = {"",
                                      "function=parse",
                                      "function=*a*",
                                      "function=!*e*",
                                      "module=!libwork*",
                                      "function=f1*,function=!f?2"};
  constexpr const char* kMoments[] = {"peak", "end", "start"};
  for (int i = 0; i < 40; ++i) {
    Question question;
    question.at = i % 4 == 0
                      ? parse_moment(kMoments[i / 4 % 3])
                      : at(edges.time_of(static_cast<uint32_t>(random() % (edges.count - 1))));
    question.filter = parse_filter(kFilters[random() % std::size(kFilters)]);
    question.sort = kSorts[random() % std::size(kSorts)];
    question.skip_wrappers = random() % 4 != 0;
    question.by = kByStack[random() % std::size(kByStack)];
    question.top = random() % 3 == 0 ? SIZE_MAX : 1 + random() % 6;
    SCOPED_TRACE(to_json(question).line());
    EXPECT_EQ(text_of(indexed.ask(question), question), text_of(plain.ask(question), question));
    question.top = SIZE_MAX;
    question.tree = TreeShape::kTopDown;
    question.least_share = random() % 2 == 0 ? 0 : 0.02;
    question.most_nodes = random() % 2 == 0 ? kMaxTreeNodes : 1 + random() % 20;
    if (random() % 3 == 0) question.below = "parse";
    const Answer tree = plain.ask(question);
    EXPECT_EQ(text_of(indexed.ask(question), question), text_of(tree, question));
    for (uint32_t node = 1 + static_cast<uint32_t>(random() % tree.tree.size());
         node < tree.tree.size() && node != 0; node = tree.tree[node].parent) {
      question.path.insert(question.path.begin(), tree.tree[node].name);
    }
    EXPECT_EQ(text_of(indexed.ask(question), question), text_of(plain.ask(question), question));
    ASSERT_FALSE(HasFailure());
  }
}

// The columns of a timeline are what the model says of that edge or bucket.
TEST_P(Index, TimelinesAreWhatTheModelSaysOfEdgesAndBuckets) {
  Ledgers ledgers = open();
  ASSERT_TRUE(ledgers.make_index());
  const Edges edges = ledgers.edges();
  const struct {
    const char* filter;
    test::World::Choose choose;
  } cases[] = {{"", [](const test::Block&) { return true; }},
               {"function=!parse", [this](const test::Block& block) {
                  const std::vector<test::Place>& stack = world_.stack(block.site);
                  return std::none_of(stack.begin(), stack.end(), [](const test::Place& place) {
                    return place.function.find("parse") != std::string::npos;
                  });
                }}};
  for (const auto& [filter, choose] : cases) {
    SCOPED_TRACE(filter);
    Question question;
    if (*filter != 0) question.filter = parse_filter(filter);
    const uint64_t before = read_;
    const Timeline line = ledgers.timeline(question);
    EXPECT_EQ(read_, before);
    EXPECT_EQ(line.edges, edges);
    ASSERT_EQ(line.live_bytes.size(), edges.count);
    // The model takes long: some edges, the first and the last.
    for (uint32_t edge = 0; edge < edges.count; edge = std::min(edge + 29, edges.count - 1)) {
      const bool is_last = edge + 1 == edges.count;
      const Cut from = edge == 0 ? Cut{0, 0} : world_.at_time(edges.time_of(edge - 1));
      const Cut to = is_last ? test::kEnd : world_.at_time(edges.time_of(edge));
      const test::Sums bucket = world_.between(from, to, choose);
      EXPECT_EQ(line.calls[edge], bucket.calls) << edge;
      EXPECT_EQ(line.bytes[edge], bucket.bytes) << edge;
      EXPECT_EQ(line.ended_blocks[edge], bucket.ended_blocks) << edge;
      EXPECT_EQ(line.ended_bytes[edge], bucket.ended_bytes) << edge;
      if (!is_last) {
        const test::Sums live = world_.at(to, choose);
        EXPECT_EQ(line.live_bytes[edge], live.live_bytes) << edge;
        EXPECT_EQ(line.live_blocks[edge], live.live_blocks) << edge;
      }
      ASSERT_FALSE(HasFailure());
      if (is_last) break;
    }
  }
}

// The end of the picture is that of the overview's.
TEST_P(Index, TimelinesEndWithWhatTheLastProcessesLeave) {
  Ledgers ledgers = open();
  ASSERT_TRUE(ledgers.make_index());
  const Timeline line = ledgers.timeline({});
  if (ledgers.facts().size() > 1) return;  // which of them were the last, the buckets cannot tell
  EXPECT_EQ(line.live_bytes.back(), ledgers.overview().never_freed_bytes);
  EXPECT_EQ(line.live_blocks.back(), ledgers.overview().never_freed_blocks);
}

// What is below a node at an edge is what the node has in the tree of that edge.
TEST_P(Index, TimelinesBelowANodeAreWhatTheNodeHas) {
  Ledgers ledgers = open();
  ASSERT_TRUE(ledgers.make_index());
  const Edges edges = ledgers.edges();
  for (TreeShape tree : {TreeShape::kTopDown, TreeShape::kBottomUp}) {
    Question question;
    question.tree = tree;
    question.least_share = 0;
    const uint32_t edge = edges.count / 2;
    question.at = at(edges.time_of(edge));
    const Answer whole = ledgers.ask(question);
    for (uint32_t node = 1; node < whole.tree.size(); node += 5) {
      question.path.clear();
      for (uint32_t i = node; i != 0; i = whole.tree[i].parent) {
        question.path.insert(question.path.begin(), whole.tree[i].name);
      }
      EXPECT_EQ(ledgers.timeline(question).live_bytes[edge], whole.tree[node].all.live_bytes);
    }
  }
}

TEST_P(Index, TellsWhatItHas) {
  Ledgers ledgers = open();
  Question question;
  EXPECT_THROW(ledgers.timeline(question), Error);
  EXPECT_FALSE(ledgers.is_in_index(question));
  ASSERT_TRUE(ledgers.make_index());
  const uint64_t edge = ledgers.edges().time_of(ledgers.edges().count / 2);
  question.at = at(edge);
  EXPECT_TRUE(ledgers.is_in_index(question));
  EXPECT_TRUE(ledgers.ask(question).from_index);
  question.at = at(edge - 1);
  EXPECT_FALSE(ledgers.is_in_index(question));
  EXPECT_FALSE(ledgers.ask(question).from_index);
}

// Of sealed ledgers, whose end is known, the first pass makes the index: it reads them once, and
// what it says is the same.
TEST_P(Index, IsMadeTogetherWithTheOverviewOfSealedLedgers) {
  for (std::string& file : files_) file = test::sealed(file);
  Ledgers plain = open();
  plain.overview();
  const uint64_t once = std::exchange(read_, 0);
  Ledgers indexed = open();
  ASSERT_TRUE(indexed.make_index());
  EXPECT_EQ(read_, once);
  Options options;
  options.with_index = true;
  Ledgers optional = open(options);
  optional.overview();
  EXPECT_EQ(optional.edges(), indexed.edges());
  EXPECT_EQ(indexed.overview().series.width_ns, indexed.edges().width_ns);
  EXPECT_TRUE(indexed.overview().totals == plain.overview().totals);
  std::mt19937_64 random(GetParam() + 3);
  for (int i = 0; i < 12; ++i) {
    Moments moments = choose(indexed.edges(), random);
    Question& question = moments.question;
    if (i % 4 == 3) question.at = parse_moment("peak");
    for (GroupBy by : {GroupBy::kSite, GroupBy::kFunction, GroupBy::kOwner}) {
      question.by = by;
      EXPECT_EQ(to_json(indexed.ask(question)).line(), to_json(plain.ask(question)).line());
    }
    if (i % 4 != 3) {
      EXPECT_TRUE(indexed.is_in_index(question));
      test::expect_same(indexed.ask(question).totals, expected(moments), "totals");
    }
    ASSERT_FALSE(HasFailure());
  }
}

INSTANTIATE_TEST_SUITE_P(Worlds, Index, testing::Range<uint64_t>(1, 10));

TEST(Edges, AreTheLastNanosecondsOfBuckets) {
  const Edges edges{1024, 4};
  EXPECT_EQ(edges.time_of(0), 1023u);
  EXPECT_EQ(edges.time_of(3), 4095u);
  EXPECT_EQ(edges.at(1023), 0u);
  EXPECT_EQ(edges.at(2047), 1u);
  EXPECT_FALSE(edges.at(0));
  EXPECT_FALSE(edges.at(1024));
  EXPECT_FALSE(edges.at(5119));  // behind the last
  EXPECT_FALSE(edges.at(UINT64_MAX));
  EXPECT_FALSE(Edges{}.at(1023));
}

}  // namespace
}  // namespace heapledger
