// Memory samples added to a raw ledger from outside: where and when they are found again, and which
// ledgers stay as they are.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "analyzer/seal/seal_file.h"
#include "format/modes.h"
#include "ledger_builder.h"
#include "query_bytes.h"
#include "writer/memory_samples.h"

namespace heapledger {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMiB = 1 << 20;

class AddedSamples : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "heapledger-samples-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    path_ = (folder_ / "a.ledger").string();
    ledger_.window(0)
        .thread(0, 0, 100, "main")
        .memory(100, 10 * kMiB, 10 * kMiB)
        .malloc(1000, 0x100010, 64 * kMiB)
        .free(900'000, 0x100010)
        .memory(900'100, 9 * kMiB, 74 * kMiB);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write() { std::ofstream(path_, std::ios::binary) << ledger_.bytes(); }
  std::string read() const {
    std::ostringstream text;
    text << std::ifstream(path_, std::ios::binary).rdbuf();
    return text.str();
  }
  Ledgers open() const { return test::open_bytes({read()}); }

  // So long after the start.
  OutsideSample at(uint64_t ns, uint64_t mib) const {
    return {ledger_.header.start.monotonic_ns + ns, mib * kMiB, mib * kMiB, kMiB};
  }

  fs::path folder_;
  std::string path_;
  test::LedgerBuilder ledger_;
};

TEST_F(AddedSamples, AreFoundAtTheirTimes) {
  write();
  const size_t before = read().size();
  const Overview plain = open().overview();
  EXPECT_EQ(plain.rss_peak_bytes, 74 * kMiB);
  EXPECT_EQ(plain.rss_peak_time_ns, 900'100u);  // of the first sample behind it
  const std::vector<OutsideSample> samples = {at(200'000, 30), at(500'000, 74), at(700'000, 20)};
  ASSERT_TRUE(add_memory_samples(path_, samples));
  EXPECT_EQ((read().size() - before) / format::kExtentBytes, 0u);  // no more than they take
  const Overview watched = open().overview();
  EXPECT_EQ(watched.rss_peak_bytes, 74 * kMiB);
  EXPECT_EQ(watched.rss_peak_time_ns, 500'000u);
  EXPECT_EQ(watched.totals.calls, plain.totals.calls);
  EXPECT_EQ(watched.duration_ns, plain.duration_ns);
  const LedgerFacts facts = open().facts()[0];
  EXPECT_TRUE(facts.complete);
  EXPECT_EQ(facts.threads.size(), 1u);
  EXPECT_EQ(facts.entries_by_kind[static_cast<size_t>(format::Kind::kMemory)], 5u);
}

TEST_F(AddedSamples, FromBeforeTheStartAndBehindTheEndAreLeftOut) {
  ledger_.header.exit_ticks = test::kStartTicks + 950'000;
  write();
  const std::string before = read();
  std::vector<OutsideSample> samples = {at(0, 90), at(950'001, 95)};
  samples[0].monotonic_ns -= 1;
  EXPECT_FALSE(add_memory_samples(path_, samples));
  EXPECT_EQ(read(), before);
  samples.insert(samples.begin() + 1, {at(0, 11), at(950'000, 12)});
  EXPECT_TRUE(add_memory_samples(path_, samples));
  EXPECT_EQ(open().overview().rss_peak_bytes, 74 * kMiB);
  EXPECT_EQ(open().facts()[0].entries_by_kind[static_cast<size_t>(format::Kind::kMemory)], 4u);
}

TEST_F(AddedSamples, MayBeMoreThanAnExtentHolds) {
  ledger_.header.exit_ticks = test::kStartTicks + 950'000;
  write();
  std::vector<OutsideSample> samples;
  for (uint64_t i = 0; i < 9000; ++i) samples.push_back(at(100 * i, 1 + i % 50));
  ASSERT_TRUE(add_memory_samples(path_, samples));
  EXPECT_TRUE(open().facts()[0].complete);
  EXPECT_EQ(open().facts()[0].entries_by_kind[static_cast<size_t>(format::Kind::kMemory)], 9002u);
}

TEST_F(AddedSamples, AreAddedOnce) {
  write();
  ASSERT_TRUE(add_memory_samples(path_, std::vector{at(500'000, 74)}));
  const std::string once = read();
  EXPECT_FALSE(add_memory_samples(path_, std::vector{at(600'000, 80)}));
  EXPECT_EQ(read(), once);
}

TEST_F(AddedSamples, AreNotForSealedDamagedAndLiveLedgers) {
  const std::vector<OutsideSample> samples = {at(500'000, 74)};
  write();
  seal::seal_file(path_, path_, {});
  std::string before = read();
  EXPECT_FALSE(add_memory_samples(path_, samples));
  EXPECT_EQ(read(), before);

  write();
  fs::resize_file(path_, fs::file_size(path_) - 100);  // inside the window
  before = read();
  EXPECT_FALSE(add_memory_samples(path_, samples));
  EXPECT_EQ(read(), before);

  ledger_.header.mode = format::kModeLive;
  write();
  before = read();
  EXPECT_FALSE(add_memory_samples(path_, samples));
  EXPECT_EQ(read(), before);
}

TEST_F(AddedSamples, ThatDoNotFitLeaveTheLedgerAsItWas) {
  write();
  const std::string before = read();
  rlimit old;
  ::getrlimit(RLIMIT_FSIZE, &old);
  const rlimit small = {before.size() + 80, old.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &small);
  const bool added = add_memory_samples(path_, std::vector{at(500'000, 74), at(600'000, 75)});
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  EXPECT_FALSE(added);
  EXPECT_EQ(read(), before);
}

// The entries of one thread are in their order, which a second stream must not put in doubt.
TEST_F(AddedSamples, ChangeNothingAboutBlocks) {
  ledger_.window(0).free(901'000, 0x200010).malloc(901'005, 0x200010, 500);
  write();
  EXPECT_EQ(open().facts()[0].totals.unmatched_frees, 1u);
  ASSERT_TRUE(add_memory_samples(path_, std::vector{at(500'000, 74)}));
  const LedgerFacts facts = open().facts()[0];
  EXPECT_EQ(facts.totals.unmatched_frees, 1u);
  EXPECT_EQ(facts.totals.end_blocks, 1u);
}

// A process that is killed has not written the header yet.
TEST_F(AddedSamples, WithoutTheirHeaderAreAHole) {
  write();
  const size_t header_at = read().size();
  ASSERT_TRUE(add_memory_samples(path_, std::vector{at(500'000, 74)}));
  std::string killed = read();
  killed.replace(header_at, sizeof(format::ExtentHeader), sizeof(format::ExtentHeader), '\0');
  Ledgers ledgers = test::open_bytes({killed});
  EXPECT_TRUE(ledgers.facts()[0].complete);
  EXPECT_EQ(ledgers.overview().rss_peak_time_ns, 900'100u);
}

}  // namespace
}  // namespace heapledger
