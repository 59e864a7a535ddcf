// The figures of a comparison. Expected numbers were worked out with
// Python's statistics module, and the density of Student's t integrated in small steps.
#include "replay/compare.h"

#include <gtest/gtest.h>

#include <cmath>

#include "replay/compare_choice.h"
#include "replay/figures.h"
#include "replay/statistics.h"
#include "tiny_schedule.h"

namespace heapledger {
namespace {

using test::test_allocator;
using test::tiny_schedule;

TEST(ReplayRatio, IsStudentsIntervalOfTheLogarithms) {
  const Ratio ratio =
      ratio_of(measured_from({69, 71, 70, 68, 72}), measured_from({100, 101, 99, 100, 100}));
  EXPECT_TRUE(ratio.known);
  EXPECT_NEAR(ratio.ratio, 0.699871, 1e-6);
  EXPECT_NEAR(ratio.low, 0.680898, 1e-6);
  EXPECT_NEAR(ratio.high, 0.719373, 1e-6);
  EXPECT_TRUE(ratio.differs());
}

TEST(ReplayRatio, DoesNotDifferWhenOneIsInTheInterval) {
  const Ratio ratio = ratio_of(measured_from({100, 110, 95}), measured_from({100, 101, 99}));
  EXPECT_NEAR(ratio.ratio, 1.014814, 1e-6);
  EXPECT_NEAR(ratio.low, 0.864422, 1e-6);
  EXPECT_NEAR(ratio.high, 1.191372, 1e-6);
  EXPECT_FALSE(ratio.differs());
}

TEST(ReplayRatio, IsNotKnownFromOneRoundOrFromNothing) {
  const Ratio one = ratio_of(measured_from({50}), measured_from({100}));
  EXPECT_FALSE(one.known);
  EXPECT_DOUBLE_EQ(one.ratio, 0.5);
  const Ratio zero = ratio_of(measured_from({0, 30, 30}), measured_from({60, 60, 60}));
  EXPECT_FALSE(zero.known);
  EXPECT_FALSE(zero.differs());
  EXPECT_DOUBLE_EQ(zero.ratio, 0.5);
  EXPECT_FALSE(ratio_of(measured_from({}), measured_from({})).known);
}

TEST(ReplayRatio, IsNotDefinedWhenTheBaselineTakesNothing) {
  const Ratio ratio = ratio_of(measured_from({5, 6, 7}), measured_from({0, 0, 3}));
  EXPECT_FALSE(ratio.defined);
  EXPECT_FALSE(ratio.known);
  EXPECT_FALSE(is_less(ratio) || is_more(ratio));
}

// From printed tables of two-sided values.
TEST(ReplayRatio, HasStudentsQuantiles) {
  EXPECT_NEAR(t_quantile(1), 12.706, 0.0005);
  EXPECT_NEAR(t_quantile(2), 4.303, 0.0005);
  EXPECT_NEAR(t_quantile(4), 2.776, 0.0005);
  EXPECT_NEAR(t_quantile(9), 2.262, 0.0005);
  EXPECT_NEAR(t_quantile(30), 2.042, 0.0005);
  EXPECT_NEAR(t_quantile(120), 1.980, 0.0005);
  EXPECT_NEAR(t_quantile(1000), 1.962, 0.0005);
  EXPECT_NEAR(t_quantile(100000), 1.960, 0.005);
  EXPECT_NEAR(t_quantile(1, 0.01), 63.657, 0.0005);
  EXPECT_NEAR(t_quantile(2, 0.025), 6.205, 0.0005);
  EXPECT_NEAR(t_quantile(4, 0.01), 4.604, 0.0005);
  EXPECT_NEAR(t_quantile(5, 0.02), 3.365, 0.0005);
  EXPECT_NEAR(t_quantile(14, 0.01), 2.977, 0.0005);
  EXPECT_NEAR(t_quantile(5, 0.001), 6.869, 0.0005);
  EXPECT_NEAR(t_quantile(10, 0.1), 1.812, 0.0005);
  EXPECT_EQ(t_quantile(0), HUGE_VAL);
}

TEST(ReplayRatio, CanBeGivenAWiderInterval) {
  const Ratio ratio =
      ratio_of(measured_from({69, 71, 70, 68, 72}), measured_from({100, 101, 99, 100, 100}));
  const Ratio wider = with_interval(ratio, 5, 0.0125);
  EXPECT_DOUBLE_EQ(wider.ratio, ratio.ratio);
  EXPECT_NEAR(wider.low, 0.670609, 1e-6);
  EXPECT_NEAR(wider.high, 0.730410, 1e-6);
}

TEST(ReplayMeasured, HasMedianAndEnds) {
  const Measured four = measured_from({4, 1, 10, 3});
  EXPECT_DOUBLE_EQ(four.median, 3.5);
  EXPECT_DOUBLE_EQ(four.least, 1);
  EXPECT_DOUBLE_EQ(four.most, 10);
  EXPECT_DOUBLE_EQ(measured_from({7, 1, 2}).median, 2);
}

// 900 calls of 10 ticks and 100 of about 1000: half of all is 500 of 900 into the first bucket, 99
// % is 90 of 100 into the second.
TEST(ReplayLatency, LiesInsideItsBucket) {
  auto results = std::make_unique<results::Results>();
  results->latency[results::latency_bucket(10)] = 900;
  results->latency[results::latency_bucket(1000)] = 100;
  results->latency_worst = 1015;
  LatencySum sum;
  sum.add(*results);
  EXPECT_EQ(sum.count(), 1000);
  EXPECT_NEAR(sum.quantile(0.5), 10 + 500.0 / 900, 1e-9);
  // From 512 to 1024 there are 32 buckets of 16 ticks: that of 1000 is 992 to 1008.
  EXPECT_NEAR(sum.quantile(0.99), 992 + 16 * 0.9, 1e-9);
  EXPECT_EQ(sum.worst(), 1015);
}

// A clock that goes in steps of 26 ticks: the second step stands for 39 to 65.
TEST(ReplayLatency, IsFinerThanTheStepsOfTheClock) {
  auto results = std::make_unique<results::Results>();
  results->latency[26] = 133;
  results->latency[52] = 867;
  results->latency_worst = 52;
  LatencySum sum;
  sum.add(*results);
  EXPECT_EQ(sum.clock_step(), 26);
  EXPECT_NEAR(sum.quantile(0.5, 26), 39 + 26 * (500.0 - 133) / 867, 1e-9);
  EXPECT_NEAR(sum.quantile(0.999, 26), 52, 1e-9);  // no more than the worst
  EXPECT_NEAR(sum.quantile(0.5), 52, 1e-9);
}

// Results as if 10 calls had taken so many ticks of 2 ns.
std::unique_ptr<results::Results> results_of(uint64_t busy, uint64_t wall, uint32_t lanes,
                                             uint64_t rss) {
  auto results = std::make_unique<results::Results>();
  results->ns_per_tick = 2;
  results->calls = 10;
  results->busy_ticks = busy;
  results->wall_ticks = wall;
  results->most_lanes = lanes;
  results->peak_rss_bytes = 2 * rss;
  results->minor_faults = 5;
  results->phases[0].rss_bytes = rss;
  return results;
}

Comparison compared(std::vector<Rounds> rounds, std::vector<std::string> failures) {
  Schedule schedule;
  schedule.header.calls = 10;
  schedule.header.lanes = 1;
  schedule.phases = {{1000, 1, 5, 0, 1, 1}, {0, 0, 10, 0, 1, 0}};
  std::vector<Candidate> candidates(rounds.size() - 1);
  return compare_rounds(schedule, candidates, rounds, failures, 0);
}

TEST(ReplayFigures, AreLessWhatThePlayerItselfTakes) {
  std::vector<Rounds> rounds(3);
  for (uint64_t busy : {50u, 48u, 52u}) rounds[0].plain.push_back(results_of(busy, 100, 1, 0));
  for (uint64_t busy : {150u, 160u, 140u})
    rounds[1].plain.push_back(results_of(busy, 200, 1, 3000));
  for (uint64_t busy : {100u, 105u, 95u}) rounds[2].plain.push_back(results_of(busy, 200, 2, 1500));
  const Comparison comparison = compared(std::move(rounds), {"", "", ""});
  EXPECT_DOUBLE_EQ(comparison.own_ns_per_call, 10);  // 50 ticks of 2 ns, 10 calls
  EXPECT_DOUBLE_EQ(comparison.candidates[0].time_ns.median, 200);
  EXPECT_DOUBLE_EQ(comparison.candidates[0].ns_per_call.median, 20);
  EXPECT_DOUBLE_EQ(comparison.candidates[0].calls_per_second.median, 10 / 200e-9);
  EXPECT_DOUBLE_EQ(comparison.candidates[0].fragmentation_at_peak, 3);
  EXPECT_DOUBLE_EQ(comparison.candidates[0].page_faults.median, 0);
  // In two threads: it ended 200 ns later than with nothing.
  EXPECT_DOUBLE_EQ(comparison.candidates[1].calls_per_second.median, 10 / 200e-9);
  EXPECT_DOUBLE_EQ(comparison.candidates[1].peak.ratio, 0.5);
  EXPECT_NEAR(comparison.candidates[1].time.ratio, 0.5, 0.001);  // 100/200, 110/220, 90/180
}

TEST(ReplayFigures, HaveAnotherBaselineWhenTheFirstFails) {
  std::vector<Rounds> rounds(3);
  rounds[0].plain.push_back(results_of(50, 100, 1, 0));
  rounds[2].plain.push_back(results_of(100, 200, 1, 1500));
  const Comparison comparison = compared(std::move(rounds), {"", "crashed", ""});
  EXPECT_EQ(comparison.baseline, 1);
  EXPECT_TRUE(comparison.candidates[0].failed);
  EXPECT_TRUE(comparison.candidates[1].is_baseline);
}

TEST(ReplayCompare, GoesOnWithoutThoseThatFail) {
  test::use_built_player();
  const Schedule schedule = tiny_schedule(10, 1000, 64);
  CompareOptions options;
  options.rounds = 3;
  std::vector<std::string> names;
  uint64_t last_total = 0;
  options.progress = [&](uint64_t done, uint64_t total, const std::string& name) {
    EXPECT_LE(done, total);
    last_total = total;
    if (!name.empty()) names.push_back(name);
  };
  const Comparison comparison = compare(schedule,
                                        {{"glibc", "libc", {}},
                                         {"crashing", test_allocator("crashing"), {}},
                                         {"mapping", test_allocator("mapping"), {}}},
                                        0, options);
  EXPECT_EQ(comparison.calls, 20000);
  EXPECT_GT(comparison.own_ns_per_call, 0);
  EXPECT_GT(comparison.clock_ns, 0);
  EXPECT_TRUE(comparison.candidates[1].failed);
  EXPECT_NE(comparison.candidates[1].failure.find("SIGSEGV"), std::string::npos);
  const CandidateFigures& mapping = comparison.candidates[2];
  ASSERT_FALSE(mapping.failed) << mapping.failure;
  // Three system calls and a page fault for each of 10,000 blocks.
  if (mapping.system_calls) {
    EXPECT_EQ(mapping.system_calls->all, 30000);
  }
  EXPECT_GE(mapping.page_faults.median, 10000);
  EXPECT_GE(mapping.latency.worst, mapping.latency.p999);
  EXPECT_GE(mapping.latency.p999, mapping.latency.p99);
  // A page for each of a thousand blocks of 64 bytes.
  EXPECT_GE(mapping.fragmentation_at_peak, 64);
  EXPECT_LE(mapping.fragmentation_at_peak, 70);
  // Three rounds of two plays of three, one that failed, two whose calls are counted.
  EXPECT_EQ(names.size(), 21);
  EXPECT_EQ(last_total, 21);
}

TEST(ReplayCheck, TellsTheSoundFromTheBroken) {
  test::use_built_player();
  const Schedule schedule = tiny_schedule(10, 1000, 64);
  const auto checked = check_candidates(
      schedule, {{"glibc", "libc", {}}, {"overlapping", test_allocator("overlapping"), {}}}, {});
  EXPECT_FALSE(checked[0].failed) << checked[0].failure;
  EXPECT_TRUE(checked[1].failed);
}

TEST(ReplayCheck, FindsLiveBytesThatAreNotTheLedgers) {
  test::use_built_player();
  Schedule schedule = tiny_schedule(2, 10, 64);
  schedule.phases[0].live_bytes = 641;
  const auto checked = check_candidates(schedule, {{"glibc", "libc", {}}}, {});
  EXPECT_EQ(checked[0].failure, "live bytes after phase 1 of 2 are 640, in the ledger 641");
}

}  // namespace
}  // namespace heapledger
