// Sample mode called directly: over many threads, each with a chance of its own, the mean of what
// is estimated is the truth within its error, and the error is what it says.
#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "analyzer/query.h"
#include "runtime/bootstrap/recording.h"
#include "runtime/ledger/settings_in_force.h"
#include "runtime/modes/mode.h"
#include "runtime/modes/real_heap.h"
#include "runtime/modes/sample_random.h"
#include "runtime/modes/sampled_blocks.h"

namespace heapledger::runtime {
namespace {

constexpr unsigned kThreads = 300;  // each is a trial
constexpr uint64_t kMeanBytes = 20'000;
constexpr uint64_t kMeanCalls = 60;
constexpr size_t kHuge = 50 * kMeanBytes;
constexpr double kSigmas = 4;

uint64_t here() {
  return reinterpret_cast<uint64_t>(__builtin_frame_address(0));
}

// Three sites: calls as if from libc's functions, of whose frames nothing is known.
enum Site { kMixed, kLarge, kHugeOnes, kSites };
uint64_t pc_of(Site site) {
  constexpr void* (*kMalloc)(size_t) = &::malloc;
  if (site == kMixed) return reinterpret_cast<uint64_t>(kMalloc);
  if (site == kLarge) return reinterpret_cast<uint64_t>(&::free);
  return reinterpret_cast<uint64_t>(&::malloc_usable_size);
}

// What one thread asks for, the same in all of them.
struct Work {
  struct Call {
    Site site;
    size_t size;
    bool kept;
  };
  std::vector<Call> calls;
  double bytes[kSites] = {};
  double count[kSites] = {};
  double kept_bytes = 0;
  double all_bytes() const { return bytes[kMixed] + bytes[kLarge] + bytes[kHugeOnes]; }

  Work() {
    std::mt19937 random(5);
    for (unsigned i = 0; i < 1500; ++i) {
      add({kMixed, random() % 2 == 0 ? 16 + random() % 64 : random() % 3000, i % 10 == 0});
      if (i % 50 == 0) add({kLarge, 5'000 + random() % 40'000, i % 100 == 0});
    }
    for (unsigned i = 0; i < 3; ++i) add({kHugeOnes, kHuge, i == 0});
    add({kMixed, 0, false});
  }
  void add(Call call) {
    calls.push_back(call);
    bytes[call.site] += static_cast<double>(call.size);
    count[call.site] += 1;
    if (call.kept) kept_bytes += static_cast<double>(call.size);
  }
};

struct Moments {
  std::vector<double> values;
  double mean() const {
    double sum = 0;
    for (double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  }
  double deviation() const {
    double sum = 0;
    for (double value : values) sum += (value - mean()) * (value - mean());
    return std::sqrt(sum / static_cast<double>(values.size() - 1));
  }
};

class Sample : public testing::Test {
 protected:
  void begin(uint64_t mean_bytes, uint64_t mean_calls) {
    folder_ = std::filesystem::temp_directory_path() /
              ("heapledger-unit-" + std::to_string(getpid()) + "-sample");
    std::filesystem::create_directory(folder_);
    real_heap = {::malloc,        ::free,     ::calloc, ::realloc, ::posix_memalign,
                 ::aligned_alloc, ::memalign, ::valloc, ::pvalloc, ::malloc_usable_size};
    settings_in_force.mode = settings::Mode::kSample;
    settings_in_force.sample_bytes = mean_bytes;
    settings_in_force.sample_calls = mean_calls;
    settings_in_force.seed = 12345;
    ASSERT_TRUE(settings_in_force.out.set((folder_ / "%p.ledger").c_str()));
    ASSERT_TRUE(begin_recording());
  }

  void TearDown() override { std::filesystem::remove_all(folder_); }

  Ledgers ledgers() const {
    std::vector<std::string> paths = {folder_ / (std::to_string(getpid()) + ".ledger")};
    return Ledgers(paths, {});
  }

  // One thread after the other: which is which is the same every time.
  void run(const Mode& mode) {
    for (unsigned i = 0; i < kThreads; ++i) {
      std::thread([&] {
        std::vector<void*> kept;
        for (const Work::Call& call : work_.calls) {
          void* block = mode.malloc(call.size, pc_of(call.site), here(), here());
          if (call.kept) {
            kept.push_back(block);
          } else {
            mode.free(block, pc_of(call.site), here(), here());
          }
        }
        all_kept_.insert(all_kept_.end(), kept.begin(), kept.end());
      }).join();
    }
  }

  void let_go() {
    for (void* block : all_kept_) real_heap.free(block);  // not part of the history
  }

  // Estimates of single threads; one that was never sampled estimates nothing.
  void expect_unbiased(double Estimates::*error) {
    Ledgers all = ledgers();
    Question question;
    question.by = GroupBy::kThread;
    question.at = {MomentSpec::Kind::kEnd, 0, 0, {}};
    Answer answer = all.ask(question);
    ASSERT_LE(answer.rows.size(), kThreads + 1);
    Moments bytes, calls, kept, variance;
    for (const Row& row : answer.rows) {
      bytes.values.push_back(static_cast<double>(row.all.bytes));
      calls.values.push_back(static_cast<double>(row.all.calls));
      kept.values.push_back(static_cast<double>(row.all.live_bytes));
      variance.values.push_back(row.all.*error * (row.all.*error));
    }
    for (Moments* one : {&bytes, &calls, &kept, &variance}) one->values.resize(kThreads);
    double root = std::sqrt(kThreads);
    EXPECT_NEAR(bytes.mean(), work_.all_bytes(), kSigmas * bytes.deviation() / root);
    EXPECT_NEAR(calls.mean(), static_cast<double>(work_.calls.size()),
                kSigmas * calls.deviation() / root);
    EXPECT_NEAR(kept.mean(), work_.kept_bytes, kSigmas * kept.deviation() / root);
    // The error that is stated, and the spread that there is.
    const Moments& spread = error == &Estimates::bytes_error ? bytes : calls;
    EXPECT_NEAR(std::sqrt(variance.mean()) / spread.deviation(), 1, 0.15);
  }

  void expect_sites() {
    Ledgers all = ledgers();
    Answer answer = all.ask({});
    for (unsigned site = 0; site < kSites; ++site) {
      const Figures* found = nullptr;
      for (const Row& row : answer.rows) {
        std::vector<NamedFrame> frames = all.frames(row.site);
        if (!frames.empty() && frames[0].pc == pc_of(static_cast<Site>(site))) found = &row.all;
      }
      ASSERT_NE(found, nullptr) << site;
      EXPECT_NEAR(static_cast<double>(found->bytes), kThreads * work_.bytes[site],
                  kSigmas * found->bytes_error + 0.5)
          << site;
      EXPECT_NEAR(static_cast<double>(found->calls), kThreads * work_.count[site],
                  kSigmas * found->calls_error + 0.5)
          << site;
      if (site == kMixed) {
        EXPECT_LT(found->bytes_error, kThreads * work_.bytes[site] / 10);
      }
    }
    const Overview& overview = all.overview();
    EXPECT_NEAR(static_cast<double>(overview.never_freed_bytes), kThreads * work_.kept_bytes,
                kSigmas * overview.never_freed_error);
    EXPECT_NEAR(static_cast<double>(overview.totals.bytes), kThreads * work_.all_bytes(),
                kSigmas * overview.totals.bytes_error);
  }

  Work work_;
  std::vector<void*> all_kept_;
  std::filesystem::path folder_;
};

TEST_F(Sample, ByBytesIsRightOnAverage) {
  begin(kMeanBytes, 0);
  run(kSampleBytesMode);
  expect_unbiased(&Estimates::bytes_error);
  expect_sites();
  let_go();
}

TEST_F(Sample, ByCallsIsRightOnAverage) {
  begin(0, kMeanCalls);
  run(kSampleCallsMode);
  expect_unbiased(&Estimates::calls_error);
  expect_sites();
  let_go();
}

TEST_F(Sample, BlocksFarAboveTheMeanStandForThemselves) {
  begin(kMeanBytes, 0);
  std::vector<void*> blocks;
  for (unsigned i = 0; i < 100; ++i) {
    blocks.push_back(kSampleBytesMode.malloc(kHuge, pc_of(kHugeOnes), here(), here()));
  }
  for (unsigned i = 0; i < 60; ++i) kSampleBytesMode.free(blocks[i], 0, 0, 0);
  Ledgers all = ledgers();
  const Overview& overview = all.overview();
  EXPECT_EQ(overview.totals.calls, 100u);
  EXPECT_EQ(overview.totals.bytes, 100 * kHuge);
  EXPECT_EQ(overview.totals.peak_bytes, 100 * kHuge);
  EXPECT_EQ(overview.never_freed_bytes, 40 * kHuge);
  EXPECT_EQ(overview.totals.bytes_error, 0);
  for (unsigned i = 60; i < 100; ++i) real_heap.free(blocks[i]);
}

// Often only one of the two blocks of a resize is sampled: here the large ones always are, and of
// the small ones every tenth.
TEST_F(Sample, ResizesBetweenSampledAndNotSampled) {
  begin(kMeanBytes, 0);
  constexpr size_t kSmall = kMeanBytes / 10;
  constexpr unsigned kTurns = 200;
  constexpr size_t kWhale = 1000 * kMeanBytes;
  void* block = nullptr;
  for (unsigned i = 0; i < kTurns; ++i) {
    block = kSampleBytesMode.realloc(block, kWhale, pc_of(kHugeOnes), here(), here());
    block = kSampleBytesMode.realloc(block, kSmall, pc_of(kMixed), here(), here());
  }
  Ledgers all = ledgers();
  const Overview& overview = all.overview();
  EXPECT_EQ(overview.totals.frees, 0u);  // they were all resized away
  EXPECT_EQ(overview.totals.peak_bytes / kWhale, 1u);
  EXPECT_NEAR(static_cast<double>(overview.totals.bytes), double{kTurns} * (kWhale + kSmall),
              kSigmas * overview.totals.bytes_error + 1);
  EXPECT_NEAR(static_cast<double>(overview.totals.resizes), 2 * kTurns - 1,
              kSigmas * overview.totals.calls_error + 1);
  EXPECT_EQ(all.facts()[0].totals.unmatched_frees, 0u);
  EXPECT_EQ(all.facts()[0].totals.lost_frees, 0u);
  real_heap.free(block);
}

TEST(SampleRandom, LogarithmIsThatOfTheLibrary) {
  std::mt19937_64 random(1);
  for (unsigned i = 0; i < 100'000; ++i) {
    uint64_t x = random() >> i % 60 | 1;
    double wanted = -std::log(std::ldexp(static_cast<double>(x), -64));
    ASSERT_NEAR(std::ldexp(static_cast<double>(minus_log(x)), -56), wanted, 1e-9 * wanted + 1e-15)
        << x;
  }
  EXPECT_NEAR(std::ldexp(static_cast<double>(minus_log(1)), -56), 64 * std::log(2), 1e-9);
  for (uint64_t calls : {2ul, 3ul, 10ul, 1000ul, 60'000ul, 70'000ul, 1'000'000'000ul}) {
    double wanted = -1 / std::log1p(-1 / static_cast<double>(calls));
    EXPECT_NEAR(std::ldexp(static_cast<double>(mean_of_calls(calls)), -32), wanted, 1e-9 * wanted)
        << calls;
  }
  EXPECT_EQ(mean_of_bytes(1000), Wide{1000} << 32);
}

TEST(SampledBlocks, KeepsWhatIsThereAndNothingElse) {
  constexpr uint64_t kCount = 50'000;
  auto address = [](uint64_t i) { return 0x7f0000000010 + i * 48; };
  auto add = [&](uint64_t from) {
    for (uint64_t i = from; i < kCount; i += 2) ASSERT_TRUE(add_sampled(address(i)));
  };
  std::thread other(add, 1);
  add(0);
  other.join();
  EXPECT_TRUE(add_sampled(address(7)));  // there already: now twice
  EXPECT_TRUE(remove_sampled(address(7)));
  for (uint64_t i = 0; i < kCount; i += 3) ASSERT_TRUE(remove_sampled(address(i))) << i;
  for (uint64_t i = 0; i < kCount; ++i) ASSERT_EQ(remove_sampled(address(i)), i % 3 != 0) << i;
  for (uint64_t i = 0; i < kCount; ++i) ASSERT_FALSE(remove_sampled(address(i))) << i;
  EXPECT_FALSE(remove_sampled(0));
  for (uint64_t i = 0; i < kCount; ++i) ASSERT_FALSE(may_be_sampled(address(i))) << i;
}

}  // namespace
}  // namespace heapledger::runtime
