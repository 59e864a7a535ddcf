// What is live at a moment, asked of sealed ledgers without the rest, is what the whole question
// says, and little of the file is read for it.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

#include "counting_source.h"
#include "query_asker.h"
#include "seal_bytes.h"

namespace heapledger {
namespace {

Question only_live(Question question) {
  question.only_live = true;
  return question;
}

using test::Asked;
using test::Asker;
using test::kAllGroups;
using test::LedgerBuilder;
using test::Sums;
using test::World;

seal::SealOptions frequent() {
  seal::SealOptions options;
  options.checkpoints.entries = 200;
  options.checkpoints.entries_per_block = 0;
  return options;
}

std::vector<std::string> sealed(const std::vector<std::string>& files) {
  std::vector<std::string> all;
  for (const std::string& file : files) all.push_back(test::sealed(file, frequent()));
  return all;
}

using Live = std::pair<uint64_t, uint64_t>;
using Key = std::tuple<std::string, uint64_t, uint32_t, std::string>;

// The rows that have live blocks, by what they stand for.
std::map<Key, std::pair<Live, Live>> rows(Ledgers& ledgers, GroupBy by, const Answer& answer) {
  std::map<Key, std::pair<Live, Live>> all;
  for (const Row& row : answer.rows) {
    if (row.all.live_blocks == 0) continue;
    std::string stack;
    if (by == GroupBy::kSite) stack = test::identity_of(ledgers.frames(row.site));
    auto& found = all[{row.name, row.key, row.ledger, stack}];
    found.first = {row.all.live_blocks, row.all.live_bytes};
    found.second = {row.self.live_blocks, row.self.live_bytes};
  }
  return all;
}

std::map<std::string, std::pair<Live, Live>> nodes(const Answer& answer) {
  std::map<std::string, std::pair<Live, Live>> all;
  for (const TreeNode& node : answer.tree) {
    std::string path = node.name;
    for (const TreeNode* at = &node; at->depth > 0;) {
      at = &answer.tree[at->parent];
      path = at->name + "/" + path;
    }
    if (node.all.live_blocks == 0) continue;
    all[path] = {{node.all.live_blocks, node.all.live_bytes},
                 {node.self.live_blocks, node.self.live_bytes}};
  }
  return all;
}

class QueryLiveAt : public testing::TestWithParam<uint64_t> {
 protected:
  QueryLiveAt()
      : world_(GetParam(), 1 + static_cast<uint32_t>(GetParam() % 2), 4000),
        whole_(test::open_bytes(world_.files())),
        sealed_(test::open_bytes(sealed(world_.files()))),
        asker_(world_, whole_, GetParam() + 77) {
    whole_.use_symbols(&world_.symbols());
    sealed_.use_symbols(&world_.symbols());
  }

  Asked make() {
    Asked asked = asker_.make();
    while (asked.question.between) asked = asker_.make();
    asked.question.wanted = {};
    asked.question.sort = Measure::kLiveBytes;
    asked.question.least_share = 0;
    return asked;
  }

  void expect_same(const Question& question) {
    Answer should = whole_.ask(question);
    Answer is = sealed_.ask(only_live(question));
    EXPECT_EQ(is.totals.live_blocks, should.totals.live_blocks);
    EXPECT_EQ(is.totals.live_bytes, should.totals.live_bytes);
    EXPECT_EQ(is.totals.calls, 0u);
    EXPECT_EQ(is.begin_ns, should.begin_ns);
    EXPECT_EQ(is.end_ns, should.end_ns);
    EXPECT_EQ(rows(sealed_, question.by, is), rows(whole_, question.by, should));
    EXPECT_EQ(nodes(is), nodes(should));
  }

  World world_;
  Ledgers whole_;
  Ledgers sealed_;
  Asker asker_;
};

TEST_P(QueryLiveAt, EveryGroupIsTheSameAsOfTheWholeQuestion) {
  for (int i = 0; i < 12; ++i) {
    Asked asked = make();
    for (GroupBy by : kAllGroups) {
      SCOPED_TRACE(asked.text + " by " + std::string(name_of(by)));
      asked.question.by = by;
      expect_same(asked.question);
      ASSERT_FALSE(HasFailure());
    }
  }
}

TEST_P(QueryLiveAt, TheTotalIsWhatTheModelSays) {
  for (int i = 0; i < 12; ++i) {
    Asked asked = make();
    SCOPED_TRACE(asked.text);
    asked.question.by = GroupBy::kNothing;
    Sums should = asker_.expected(asked, [](const test::Block&) { return true; });
    Answer is = sealed_.ask(only_live(asked.question));
    EXPECT_EQ(is.totals.live_blocks, should.live_blocks);
    EXPECT_EQ(is.totals.live_bytes, should.live_bytes);
  }
}

TEST_P(QueryLiveAt, TreesAreTheSame) {
  for (TreeShape shape : {TreeShape::kTopDown, TreeShape::kBottomUp, TreeShape::kCallersOf}) {
    Asked asked = make();
    SCOPED_TRACE(asked.text);
    asked.question.tree = shape;
    asked.question.function = "parse";
    expect_same(asked.question);
  }
}

TEST_P(QueryLiveAt, MarkersPeaksAndSharesOfTheTimeAreTheSame) {
  Question question;
  for (const Marker& marker : whole_.overview().markers) {
    question.at = parse_moment("marker:" + marker.text);
    expect_same(question);
  }
  for (const char* moment : {"0%", "10%", "33.3%", "50%", "99.9%", "100%", "start", "end"}) {
    SCOPED_TRACE(moment);
    question.at = parse_moment(moment);
    expect_same(question);
  }
  sealed_.overview();
  question.filter = parse_filter("size>=16");
  for (const char* moment : {"peak", "rss-peak"}) {
    SCOPED_TRACE(moment);
    question.at = parse_moment(moment);
    expect_same(question);
  }
}

TEST_P(QueryLiveAt, TheOverviewAfterwardsIsTheSame) {
  Question question;
  question.at = parse_moment("50%");
  sealed_.ask(only_live(question));
  EXPECT_EQ(sealed_.overview().totals.calls, whole_.overview().totals.calls);
  question.at = parse_moment("peak");
  Answer is = sealed_.ask(question);
  Answer should = whole_.ask(question);
  EXPECT_EQ(is.totals.bytes, should.totals.bytes);
  EXPECT_EQ(rows(sealed_, GroupBy::kSite, is), rows(whole_, GroupBy::kSite, should));
}

INSTANTIATE_TEST_SUITE_P(Seeds, QueryLiveAt, testing::Range<uint64_t>(1, 7));

TEST(QueryLiveAtReads, LittleOfALargeLedger) {
  std::mt19937_64 random(3);
  LedgerBuilder ledger;
  auto& window = ledger.window(0);
  window.thread(0, 0, 100, "main");
  for (uint32_t site = 1; site <= 50; ++site) window.site(0, site, site / 2, 0, 0x1000 + site);
  std::map<uint64_t, uint64_t> live;
  uint64_t bytes = 0, half = 0;
  for (uint64_t i = 1; i <= 400'000; ++i) {
    uint64_t address = 0x7000'0000 + 16 * (random() % 2000);
    auto found = live.find(address);
    if (found == live.end()) {
      uint64_t size = 1 + random() % 500;
      window.malloc(10 * i, address, size, 1 + static_cast<uint32_t>(random() % 50));
      live[address] = size;
      bytes += size;
    } else {
      window.free(10 * i, address);
      bytes -= found->second;
      live.erase(found);
    }
    if (i == 200'000) half = bytes;
    if (i % 5000 == 0) window.flush();
  }
  seal::SealOptions options;
  options.checkpoints.entries = 20'000;
  options.checkpoints.entries_per_block = 0;
  const std::string file = test::sealed(ledger.bytes(), options);
  uint64_t count = 0;
  std::vector<Ledgers::Opener> openers;
  openers.emplace_back([&] { return std::make_unique<test::CountingSource>(file, count); });
  Ledgers ledgers(std::move(openers), {});
  Question question;
  question.by = GroupBy::kFunction;
  question.at = parse_moment("2000000ns");
  EXPECT_EQ(ledgers.ask(only_live(question)).totals.live_bytes, half);
  // What a report says around it.
  EXPECT_EQ(ledgers.time_of(question.at), 2'000'000u);
  EXPECT_EQ(ledgers.processes()[0].threads.size(), 1u);
  EXPECT_EQ(ledgers.duration_ns(), 1'000'000'000u);  // as the header has it
  EXPECT_LT(count, file.size() / 3);
}

TEST(QueryLiveAtReads, WhoTheProcessesAreIsKnownWithoutTheRest) {
  World world(4, 2, 2000);
  Ledgers whole = test::open_bytes(world.files());
  Ledgers brief = test::open_bytes(sealed(world.files()));
  const std::vector<LedgerFacts>& should = whole.facts();
  const std::vector<LedgerFacts>& is = brief.processes();
  ASSERT_EQ(is.size(), should.size());
  for (size_t i = 0; i < is.size(); ++i) {
    EXPECT_EQ(is[i].pid, should[i].pid);
    EXPECT_EQ(is[i].command, should[i].command);
    EXPECT_EQ(is[i].start_wall_ns, should[i].start_wall_ns);
    EXPECT_EQ(is[i].duration_ns, should[i].duration_ns);
    EXPECT_EQ(is[i].threads.size(), should[i].threads.size());
    EXPECT_EQ(is[i].modules.size(), should[i].modules.size());
    EXPECT_EQ(is[i].complete, should[i].complete);
    EXPECT_EQ(is[i].totals.calls, 0u) << "the entries were not read";
  }
  EXPECT_EQ(brief.duration_ns(), whole.overview().duration_ns);
}

TEST(QueryLiveAtReads, ARawLedgerGivesTheSameByReadingAll) {
  World world(5, 1, 500);
  Ledgers raw = test::open_bytes(world.files());
  Question question;
  question.at = parse_moment("50%");
  Answer is = raw.ask(only_live(question));
  Answer should = raw.ask(question);
  EXPECT_EQ(is.totals.live_bytes, should.totals.live_bytes);
  EXPECT_EQ(is.totals.calls, 0u);
  EXPECT_EQ(rows(raw, GroupBy::kSite, is), rows(raw, GroupBy::kSite, should));
}

TEST(QueryLiveAtReads, AnUnknownMarkerIsRefusedWithTheKnownOnes) {
  World world(5, 1, 2000);
  Ledgers ledgers = test::open_bytes(sealed(world.files()));
  Question question;
  question.at = parse_moment("marker:nowhere");
  EXPECT_THROW(ledgers.ask(only_live(question)), std::exception);
}

}  // namespace
}  // namespace heapledger
