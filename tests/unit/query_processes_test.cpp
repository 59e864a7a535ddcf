// Rank, host and job: as conditions and as groups, of a job of four processes, one of which was
// forked by another and one of which belongs to none. Figures are worked out by hand.
#include <gtest/gtest.h>

#include "analyzer/error.h"
#include "query_bytes.h"
#include "query_world.h"

namespace heapledger {
namespace {

using format::InfoKey;
using test::LedgerBuilder;
using test::open_bytes;

std::string ledger_of(const char* rank, const char* host, const char* job, uint64_t bytes) {
  LedgerBuilder ledger;
  ledger.window(0)
      .thread(0, 0, 100, "main")
      .info(0, InfoKey::kRank, rank)
      .info(0, InfoKey::kHost, host)
      .info(0, InfoKey::kJob, job)
      .module(0, 1, 0x1000, 0x9000, 0x1000, "id", "/usr/bin/app")
      .site(0, 1, 0, 1, 0x1011)
      .malloc(10, 0x5000, bytes, 1);
  return ledger.bytes();
}

// Bytes 1, 10, 100 and 1000: a sum tells which of them are in it.
Ledgers job_of_four() {
  return open_bytes({ledger_of("0", "node1", "77", 1), ledger_of("12", "node17", "77", 10),
                     ledger_of("12", "node17", "77", 100), ledger_of("", "node1", "", 1000)});
}

uint64_t bytes_of(const char* filter) {
  Ledgers ledgers = job_of_four();
  Question question;
  question.filter = parse_filter(filter);
  question.by = GroupBy::kNothing;
  question.at = parse_moment("end");
  return ledgers.ask(question).totals.live_bytes;
}

TEST(Processes, AreChosenByRank) {
  EXPECT_EQ(bytes_of("rank=0"), 1u);
  EXPECT_EQ(bytes_of("rank=12"), 110u);
  EXPECT_EQ(bytes_of("rank=0,8-15"), 111u);
  EXPECT_EQ(bytes_of("rank=1-11"), 0u);
  EXPECT_EQ(bytes_of("rank!=12"), 1001u);
  EXPECT_EQ(bytes_of("rank!=0,12,size>=1"), 1000u);
  EXPECT_EQ(bytes_of("rank=0,12,size>=10"), 110u);
}

TEST(Processes, AreChosenByTheWholeNameOfAHostOrJob) {
  EXPECT_EQ(bytes_of("host=node1"), 1001u);
  EXPECT_EQ(bytes_of("host=node1*"), 1111u);
  EXPECT_EQ(bytes_of("host!=node1"), 110u);
  EXPECT_EQ(bytes_of("job=77"), 111u);
  EXPECT_EQ(bytes_of("job=7"), 0u);
  EXPECT_EQ(bytes_of("job=77,host=node17"), 110u);
}

std::map<std::string, uint64_t> rows_by(GroupBy by) {
  Ledgers ledgers = job_of_four();
  Question question;
  question.by = by;
  std::map<std::string, uint64_t> rows;
  for (const Row& row : ledgers.ask(question).rows) rows[row.name] = row.all.bytes;
  return rows;
}

TEST(Processes, ShareARow) {
  using Rows = std::map<std::string, uint64_t>;
  EXPECT_EQ(rows_by(GroupBy::kRank), (Rows{{"rank 0", 1}, {"rank 12", 110}, {"[no rank]", 1000}}));
  EXPECT_EQ(rows_by(GroupBy::kHost), (Rows{{"node1", 1001}, {"node17", 110}}));
  EXPECT_EQ(rows_by(GroupBy::kJob), (Rows{{"77", 111}, {"[no job]", 1000}}));
}

TEST(Processes, HaveTheirPeakTogether) {
  Ledgers ledgers = job_of_four();
  Question question;
  question.by = GroupBy::kRank;
  question.sort = Measure::kPeakBytes;
  const Answer answer = ledgers.ask(question);
  ASSERT_EQ(answer.rows.size(), 3u);
  EXPECT_EQ(answer.rows[1].key, 12u);
  EXPECT_EQ(answer.rows[1].all.peak_bytes, 110u);
}

TEST(Processes, ARankThatIsNoNumberIsNone) {
  Ledgers ledgers = open_bytes({ledger_of("7x", "", "", 1), ledger_of("7", "", "", 1)});
  EXPECT_EQ(ledgers.facts()[0].rank, std::nullopt);
  EXPECT_EQ(ledgers.facts()[1].rank, 7u);
}

TEST(Processes, SitesHaveFiguresInEach) {
  Ledgers ledgers = job_of_four();
  Question question;
  question.at = parse_moment("end");
  std::vector<std::pair<uint32_t, uint64_t>> seen;
  ledgers.accounts_by_process(question, [&](uint32_t ledger, uint32_t, const Figures& figures) {
    seen.emplace_back(ledger, figures.live_bytes);
  });
  EXPECT_EQ(seen,
            (std::vector<std::pair<uint32_t, uint64_t>>{{0, 1}, {1, 10}, {2, 100}, {3, 1000}}));
}

}  // namespace
}  // namespace heapledger
