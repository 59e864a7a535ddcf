// A first pass that was kept says what a pass says, to every question; and it is believed only
// while the ledgers are the same.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "analyzer/query/answer_json.h"
#include "counting_source.h"
#include "query_asker.h"
#include "seal_bytes.h"

namespace heapledger {
namespace {

namespace fs = std::filesystem;
using test::Asked;
using test::Asker;
using test::kAllGroups;
using test::World;

class KeptPass : public testing::TestWithParam<uint64_t> {
 protected:
  KeptPass() : world_(GetParam(), 1 + static_cast<uint32_t>(GetParam() % 3), 4000) {
    std::string name = (fs::temp_directory_path() / "heapledger-passes-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder");
    folder_ = name;
    seal::SealOptions frequent;
    frequent.checkpoints.entries = 200;
    frequent.checkpoints.entries_per_block = 0;
    for (const std::string& raw : world_.files()) {
      contents_.push_back(test::sealed(raw, frequent));
      paths_.push_back((folder_ / ("x" + std::to_string(paths_.size()) + ".ledger")).string());
      write(paths_.back(), contents_.back());
    }
  }
  ~KeptPass() override { fs::remove_all(folder_); }

  static void write(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<long>(bytes.size()));
  }

  Options keeping() const {
    Options options;
    options.keeping = {(folder_ / "passes").string(), paths_, 0};
    return options;
  }

  // Counts the bytes that are read.
  Ledgers open(uint64_t& count, const Options& options) {
    std::vector<Ledgers::Opener> openers;
    for (const std::string& content : contents_) {
      openers.emplace_back(
          [&content, &count] { return std::make_unique<test::CountingSource>(content, count); });
    }
    Ledgers ledgers(std::move(openers), options);
    ledgers.use_symbols(&world_.symbols());
    return ledgers;
  }

  std::vector<fs::path> kept() const {
    std::vector<fs::path> all;
    if (!fs::exists(folder_ / "passes")) return all;
    for (const auto& entry : fs::directory_iterator(folder_ / "passes"))
      all.push_back(entry.path());
    return all;
  }

  // How much an overview reads now, compared with one that has nothing to go by.
  double share_read() {
    uint64_t with = 0, without = 0;
    open(with, keeping()).overview();
    open(without, {}).overview();
    return static_cast<double>(with) / static_cast<double>(without);
  }

  World world_;
  fs::path folder_;
  std::vector<std::string> contents_;
  std::vector<std::string> paths_;
};

// Numbers of sites are whatever order they were met in; what they stand for is the same.
Answer comparable(Ledgers& ledgers, Answer answer, bool by_site) {
  for (Row& row : answer.rows) {
    if (by_site) row.name += test::identity_of(ledgers.frames(row.site));
    row.site = 0;
  }
  return answer;
}

TEST_P(KeptPass, AnswersEveryQuestionLikeAPass) {
  uint64_t count = 0;
  Ledgers plain = open(count, {});
  open(count, keeping()).overview();
  ASSERT_EQ(kept().size(), 1u);
  Asker asker(world_, plain, GetParam() + 5);
  for (int i = 0; i < 10; ++i) {
    Asked asked = asker.make();
    asked.question.wanted.sizes = false;  // of many, some are estimates that depend on the order
    Ledgers again = open(count, keeping());
    for (GroupBy by : kAllGroups) {
      SCOPED_TRACE(asked.text + " by " + std::string(name_of(by)));
      asked.question.by = by;
      const bool by_site = by == GroupBy::kSite;
      const Answer is = comparable(again, again.ask(asked.question), by_site);
      const Answer should = comparable(plain, plain.ask(asked.question), by_site);
      EXPECT_EQ(to_json(is).line(), to_json(should).line());
      ASSERT_FALSE(HasFailure());
    }
  }
}

TEST_P(KeptPass, AnswersLikeTheModelAtAnyMoment) {
  uint64_t count = 0;
  Ledgers plain = open(count, keeping());
  Asker asker(world_, plain, GetParam() + 9);
  Ledgers again = open(count, keeping());
  for (int i = 0; i < 20; ++i) {
    Asked asked = asker.make();
    asked.question.wanted = {};
    asked.question.by = GroupBy::kFunction;
    SCOPED_TRACE(asked.text);
    test::expect_same(again.ask(asked.question).totals,
                      asker.expected(asked, [](const test::Block&) { return true; }), "totals");
  }
}

TEST_P(KeptPass, HasTheOverviewOfAPass) {
  uint64_t count = 0;
  Ledgers plain = open(count, keeping());
  const Overview& should = plain.overview();
  Ledgers again = open(count, keeping());
  const Overview& is = again.overview();
  EXPECT_TRUE(is.totals == should.totals);
  EXPECT_EQ(is.duration_ns, should.duration_ns);
  EXPECT_EQ(is.sums.calls, should.sums.calls);
  EXPECT_EQ(is.sums.frees, should.sums.frees);
  EXPECT_EQ(is.by_function, should.by_function);
  EXPECT_EQ(is.never_freed_bytes, should.never_freed_bytes);
  EXPECT_EQ(is.rss_peak_bytes, should.rss_peak_bytes);
  EXPECT_EQ(is.live_bytes_at_rss_peak, should.live_bytes_at_rss_peak);
  EXPECT_TRUE(is.sizes == should.sizes);
  EXPECT_TRUE(is.lifetimes == should.lifetimes);
  EXPECT_TRUE(is.common_sizes == should.common_sizes);
  EXPECT_EQ(is.has_sites, should.has_sites);
  ASSERT_EQ(is.series.buckets.size(), should.series.buckets.size());
  for (size_t i = 0; i < is.series.buckets.size(); ++i) {
    EXPECT_EQ(is.series.buckets[i].max_bytes, should.series.buckets[i].max_bytes);
    EXPECT_EQ(is.series.buckets[i].end_rss, should.series.buckets[i].end_rss);
  }
  ASSERT_EQ(is.markers.size(), should.markers.size());
  for (size_t i = 0; i < is.markers.size(); ++i) {
    EXPECT_EQ(is.markers[i].text, should.markers[i].text);
    EXPECT_EQ(is.markers[i].time_ns, should.markers[i].time_ns);
  }
  ASSERT_EQ(is.processes.size(), should.processes.size());
  for (size_t i = 0; i < is.processes.size(); ++i) {
    EXPECT_EQ(is.processes[i].entries, should.processes[i].entries);
    EXPECT_EQ(is.processes[i].totals.peak_bytes, should.processes[i].totals.peak_bytes);
    EXPECT_EQ(is.processes[i].totals.peak_time_ns, should.processes[i].totals.peak_time_ns);
    EXPECT_EQ(is.processes[i].thread_count, should.processes[i].thread_count);
    EXPECT_EQ(is.processes[i].modules.size(), should.processes[i].modules.size());
    EXPECT_EQ(is.processes[i].complete, should.processes[i].complete);
    ASSERT_EQ(is.processes[i].threads.size(), should.processes[i].threads.size());
    for (size_t thread = 0; thread < is.processes[i].threads.size(); ++thread) {
      EXPECT_EQ(is.processes[i].threads[thread].tid, should.processes[i].threads[thread].tid);
      EXPECT_EQ(is.processes[i].threads[thread].name, should.processes[i].threads[thread].name);
    }
  }
}

// What a process has left, with a scan from its last checkpoint and with a pass.
TEST_P(KeptPass, TellsWhatEachProcessHasLeft) {
  uint64_t count = 0;
  Ledgers plain = open(count, {});
  Ledgers again = open(count, keeping());
  Suppressions some;
  some.add("leak:parse");
  Question question;
  question.by = GroupBy::kLedger;
  const NeverFreed should = plain.never_freed(some, question);
  question.only_live = true;
  const NeverFreed is = again.never_freed(some, question);
  EXPECT_GT(is.suppressed.live_bytes, 0u);
  EXPECT_EQ(is.suppressed.live_bytes, should.suppressed.live_bytes);
  EXPECT_EQ(is.answer.totals.live_bytes, should.answer.totals.live_bytes);
  std::map<uint32_t, uint64_t> left, should_be_left;
  for (const Row& row : is.answer.rows) left[row.ledger] = row.all.live_bytes;
  for (const Row& row : should.answer.rows) {
    if (row.all.live_bytes > 0) should_be_left[row.ledger] = row.all.live_bytes;
  }
  EXPECT_EQ(left, should_be_left);
}

// Takes no reading of entries any more, and the same answers.
TEST_P(KeptPass, KeepsTheIndexBesideIt) {
  uint64_t count = 0;
  ASSERT_TRUE(open(count, keeping()).make_index());
  ASSERT_EQ(kept().size(), 2u);
  Ledgers plain = open(count, {});
  plain.overview();
  uint64_t read = 0;
  Ledgers again = open(read, keeping());
  again.overview();
  const uint64_t of_overview = read;
  ASSERT_TRUE(again.make_index());
  EXPECT_EQ(read, of_overview);
  const Edges edges = again.edges();
  for (uint32_t edge = 1; edge + 1 < edges.count; edge += edges.count / 7) {
    Question question;
    question.at = {MomentSpec::Kind::kTime, edges.time_of(edge), 0, {}};
    for (GroupBy by : {GroupBy::kFunction, GroupBy::kSite, GroupBy::kOwner}) {
      question.by = by;
      const Answer is = again.ask(question);
      EXPECT_TRUE(is.from_index);
      EXPECT_EQ(to_json(comparable(again, is, by == GroupBy::kSite)).line(),
                to_json(comparable(plain, plain.ask(question), by == GroupBy::kSite)).line());
    }
    question.between = {question.at, parse_moment("end")};
    question.wanted.no_range_peaks = true;
    EXPECT_EQ(to_json(again.ask(question)).line(), to_json(plain.ask(question)).line());
    ASSERT_FALSE(HasFailure());
  }
}

// Without being told, where that is wanted; and a question looks for it by itself.
TEST_P(KeptPass, HasTheIndexThatTheFirstPassHasMade) {
  Options options = keeping();
  options.with_index = true;
  uint64_t read = 0;
  open(read, options).overview();
  ASSERT_EQ(kept().size(), 2u);
  Ledgers plain = open(read, {});
  plain.overview();
  read = 0;
  Ledgers again = open(read, options);
  const Series& series = again.overview().series;
  const uint64_t of_overview = read;
  Question question;
  question.by = GroupBy::kFunction;
  question.at = {MomentSpec::Kind::kTime, series.buckets.size() / 2 * series.width_ns - 1, 0, {}};
  const Answer is = again.ask(question);
  EXPECT_EQ(read, of_overview);
  EXPECT_TRUE(is.from_index);
  EXPECT_EQ(to_json(is).line(), to_json(plain.ask(question)).line());
}

// What the first pass makes beside its own work tells accounts and times alone; the rest is one
// pass, once.
TEST_P(KeptPass, GetsThreadsAndClassesIntoTheIndexLater) {
  Options options = keeping();
  options.with_index = true;
  uint64_t read = 0;
  open(read, options).overview();
  Question question;
  question.by = GroupBy::kThread;
  question.wanted.no_range_peaks = true;
  auto ask = [&](Ledgers& ledgers) {
    const Edges edges = ledgers.edges();
    question.at = {MomentSpec::Kind::kTime, edges.time_of(edges.count - 2), 0, {}};
    return ledgers.ask(question);
  };
  Ledgers again = open(read, options);
  again.overview();
  uint64_t before = read;
  ASSERT_TRUE(again.make_index(false));
  EXPECT_EQ(read, before);
  const Answer by_pass = ask(again);
  EXPECT_FALSE(again.is_in_index(question));

  before = read;
  ASSERT_TRUE(again.make_index());
  EXPECT_GT(read, before);
  const uint64_t after = read;
  ASSERT_TRUE(again.make_index());
  const Answer by_index = ask(again);
  EXPECT_EQ(read, after);
  EXPECT_TRUE(again.is_in_index(question));
  EXPECT_TRUE(by_index.from_index);
  EXPECT_EQ(to_json(by_index).line(), to_json(by_pass).line());

  Ledgers kept_whole = open(read, options);
  kept_whole.overview();
  before = read;
  ASSERT_TRUE(kept_whole.make_index());
  EXPECT_EQ(read, before);
  EXPECT_TRUE(ask(kept_whole).from_index);
}

// It is of the pass that is kept, and of no other.
TEST_P(KeptPass, DropsAnIndexThatIsDamagedOrAlone) {
  uint64_t count = 0;
  ASSERT_TRUE(open(count, keeping()).make_index());
  const auto index_file = [this] {
    for (const fs::path& path : kept()) {
      if (path.filename().string().ends_with("-index")) return path;
    }
    return fs::path();
  };
  ASSERT_FALSE(index_file().empty());
  auto makes_one_more_pass = [&] {
    uint64_t read = 0;
    Ledgers ledgers = open(read, keeping());
    ledgers.overview();
    const uint64_t before = read;
    EXPECT_TRUE(ledgers.make_index());
    return read > before;
  };
  EXPECT_FALSE(makes_one_more_pass());
  fs::resize_file(index_file(), fs::file_size(index_file()) - 1);
  EXPECT_TRUE(makes_one_more_pass());
  EXPECT_FALSE(makes_one_more_pass());  // it was kept again
  fs::remove(index_file());
  EXPECT_TRUE(makes_one_more_pass());
}

INSTANTIATE_TEST_SUITE_P(Seeds, KeptPass, testing::Range<uint64_t>(1, 7));

class KeptPassFile : public KeptPass {};
INSTANTIATE_TEST_SUITE_P(One, KeptPassFile, testing::Values<uint64_t>(3));

TEST_P(KeptPassFile, IsReadInsteadOfTheLedgers) {
  EXPECT_GT(share_read(), 0.9);  // that one left it
  EXPECT_LT(share_read(), 0.7);
}

TEST_P(KeptPassFile, OfFilesThatHaveChangedIsNotBelieved) {
  share_read();
  write(paths_[0], contents_[0]);  // the same again, later
  EXPECT_GT(share_read(), 0.9);
  EXPECT_LT(share_read(), 0.7);
}

TEST_P(KeptPassFile, ThatIsDamagedIsNotBelieved) {
  share_read();
  ASSERT_EQ(kept().size(), 1u);
  std::string bytes;
  {
    std::ifstream file(kept()[0], std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  for (size_t at : {size_t{3}, bytes.size() / 2, bytes.size() - 1}) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    write(kept()[0].string(), damaged);
    EXPECT_GT(share_read(), 0.9) << at;
  }
  write(kept()[0].string(), bytes.substr(0, bytes.size() / 3));
  EXPECT_GT(share_read(), 0.9);
  write(kept()[0].string(), "");
  EXPECT_GT(share_read(), 0.9);
}

TEST_P(KeptPassFile, IsNotThereForRawOrSmallLedgersOrWithoutAFolder) {
  uint64_t count = 0;
  Options small = keeping();
  small.keeping.least_entries = 1u << 30;
  open(count, small).overview();
  Options nowhere = keeping();
  nowhere.keeping.folder.clear();
  open(count, nowhere).overview();
  write(paths_[0], world_.files()[0]);
  open(count, keeping()).overview();
  EXPECT_TRUE(kept().empty());
}

TEST_P(KeptPassFile, MayBeLeftAfterwardsByWhoHasSealedTheFiles) {
  uint64_t count = 0;
  const std::string raw = world_.files()[0];
  contents_.resize(1);
  paths_.resize(1);
  write(paths_[0], raw);
  const std::string sealed = contents_[0];
  contents_[0] = raw;
  Ledgers ledgers = open(count, keeping());
  ledgers.overview();
  EXPECT_TRUE(kept().empty());
  contents_[0] = sealed;
  write(paths_[0], sealed);
  ledgers.keep_first_pass();
  EXPECT_EQ(kept().size(), 1u);
  EXPECT_LT(share_read(), 0.7);
}

}  // namespace
}  // namespace heapledger
