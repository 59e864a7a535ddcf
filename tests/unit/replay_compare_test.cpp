// The figures of a comparison, and what is said about them. Expected numbers were worked out with
// Python's statistics module, and the density of Student's t integrated in small steps.
#include "replay/compare.h"

#include <gtest/gtest.h>

#include <cmath>

#include "replay/compare_choice.h"
#include "replay/compare_words.h"
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

Ratio known(double ratio, double half) {
  return {ratio, ratio - half, ratio + half, true};
}

TEST(ReplayWords, HaveOneUncertaintyForBothWhenTheyAreAlike) {
  EXPECT_EQ(difference_in_words(known(0.69, 0.02), known(0.88, 0.015)),
            "31 % less time in malloc, 12 % less peak memory, ± 2 %");
}

TEST(ReplayWords, HaveOneEachWhenTheyAreNot) {
  EXPECT_EQ(difference_in_words(known(0.69, 0.12), known(1.05, 0.01)),
            "31 % less time in malloc (± 12 %), 5.0 % more peak memory (± 1 %)");
}

TEST(ReplayWords, SayWhenNothingCanBeTold) {
  EXPECT_EQ(difference_in_words(known(0.98, 0.04), known(2.5, 0.1)),
            "no difference in time that can be told (± 4 %), 2.5 times the peak memory (± 4 %)");
  EXPECT_EQ(
      difference_in_words({0.69, 0.69, 0.69, false}, {1.5, 1.5, 1.5, false}),
      "about 31 % less time in malloc, about 50 % more peak memory (how exactly is not known)");
}

TEST(ReplayWords, SayTheSameAndMultiples) {
  EXPECT_EQ(difference_in_words(known(10, 1.5), known(1.001, 0.001)),
            "10 times the time in malloc (± 15 %), the same peak memory");
}

TEST(ReplayWords, SayBothEndsWhenTheyAreNotAlike) {
  EXPECT_EQ(difference_in_words({3.47, 1.22, 9.85, true}, known(1.2, 0.01)),
            "3.5 times the time in malloc (×1.22 to ×9.85), 20 % more peak memory (± 1 %)");
  EXPECT_EQ(difference_in_words({1.1, 0.5, 2.4, true}, known(1.2, 0.01)),
            "no difference in time that can be told (×0.50 to ×2.40), 20 % more peak memory (± 1 "
            "%)");
}

TEST(ReplayWords, SayWhenThereIsTooLittleToCompareWith) {
  EXPECT_EQ(difference_in_words({1, 1, 1, false, false}, known(1.2, 0.01)),
            "too little time in malloc to be told, 20 % more peak memory (± 1 %)");
}

CandidateFigures figures_of(const std::string& name, Ratio time, Ratio peak,
                            std::vector<double> times) {
  CandidateFigures figures;
  figures.candidate.name = name;
  figures.time = time;
  figures.peak = peak;
  figures.time_ns = measured_from(std::move(times));
  return figures;
}

Comparison example() {
  Comparison comparison;
  comparison.candidates = {
      figures_of("glibc", known(1, 0), known(1, 0), {100, 100, 100}),
      figures_of("jemalloc", known(0.9, 0.02), known(0.7, 0.02), {90, 91, 89}),
      figures_of("mimalloc", known(0.69, 0.02), known(0.88, 0.02), {69, 70, 68})};
  comparison.candidates[0].is_baseline = true;
  comparison.candidates[0].ns_per_call.median = 3835636763;
  comparison.candidates[0].peak_rss.median = 1048576;
  comparison.rounds = 5;
  return comparison;
}

TEST(ReplayVerdict, NamesTheBest) {
  Comparison comparison = example();
  write_verdicts(comparison, 0);
  EXPECT_EQ(comparison.candidates[2].verdict,
            "mimalloc: 31 % less time in malloc, 12 % less peak memory, ± 2 %");
  EXPECT_EQ(
      comparison.verdict,
      "mimalloc is best for this program: 31 % less time in malloc, 12 % less peak memory, "
      "± 2 %, compared with glibc. jemalloc needs the least memory: 10 % less time in malloc, "
      "30 % less peak memory, ± 2 %.");
  EXPECT_EQ(comparison.candidates[0].verdict,
            "glibc: 3.84 s per call, 1.0 MiB at the peak; the others are compared with this");
  EXPECT_EQ(one_to_try(comparison), 2);
}

TEST(ReplayVerdict, SaysWhatALeastTimeCosts) {
  Comparison comparison = example();
  comparison.candidates[1].time = known(3.5, 0.1);
  comparison.candidates[2].peak = known(1.35, 0.01);
  write_verdicts(comparison, 0);
  EXPECT_EQ(comparison.verdict,
            "mimalloc takes the least time, for 35 % more peak memory (± 1 %): 31 % less time in "
            "malloc (± 2 %), compared with glibc. jemalloc needs the least memory, for 3.5 times "
            "the time in malloc (± 3 %): 30 % less peak memory (± 2 %).");
  // 0.69 × 1.35 is less than 1; with half as much again it is not, and 3.5 × 0.7 never was.
  EXPECT_EQ(one_to_try(comparison), 2);
  comparison.candidates[2].peak = known(1.5, 0.01);
  EXPECT_EQ(one_to_try(comparison), std::nullopt);
}

TEST(ReplayVerdict, SaysWhatALeastMemoryCosts) {
  Comparison comparison = example();
  comparison.candidates[1].time = known(1.2, 0.03);
  comparison.candidates[2].time = known(1.01, 0.03);
  write_verdicts(comparison, 0);
  EXPECT_EQ(comparison.verdict,
            "jemalloc needs the least memory, for 20 % more time in malloc (± 3 %): 30 % less peak "
            "memory (± 2 %), compared with glibc; that another one takes less time cannot be "
            "told.");
  EXPECT_EQ(one_to_try(comparison), 1);
}

// A tenth of the time for ten times the memory is no bargain, though the product is the same or
// less.
TEST(ReplayVerdict, ProposesNothingThatIsSeveralTimesWorse) {
  Comparison comparison = example();
  comparison.candidates[1].peak = known(1.05, 0.01);
  comparison.candidates[2].time = known(0.1, 0.001);
  comparison.candidates[2].peak = known(5, 0.01);
  write_verdicts(comparison, 0);
  EXPECT_EQ(one_to_try(comparison), 1);
  EXPECT_NE(
      comparison.verdict.find(
          " At less cost: jemalloc, 10 % less time in malloc, 5.0 % more peak memory, ± 2 %."),
      std::string::npos)
      << comparison.verdict;
}

// 5.3 % ± 5 % is 95 % sure of one alone; of four that are alike, one is often so far off.
TEST(ReplayVerdict, IsNotMadeByChance) {
  Comparison comparison;
  const Ratio chance = known(0.947, 0.05);
  comparison.candidates = {figures_of("a", known(1, 0), known(1, 0), {100, 100}),
                           figures_of("b", chance, known(1, 0), {95, 95})};
  comparison.candidates[0].is_baseline = true;
  comparison.rounds = 5;
  EXPECT_EQ(fastest_of(comparison), 1);
  for (const char* name : {"c", "d"}) {
    comparison.candidates.push_back(figures_of(name, known(1, 0.05), known(1, 0), {100, 100}));
  }
  EXPECT_EQ(fastest_of(comparison), std::nullopt);
  write_verdicts(comparison, 0);
  // At 5 % / 3, t of 4 degrees is 3.961 instead of 2.776: 5 % is 7 % then.
  EXPECT_EQ(comparison.verdict,
            "Nothing is better than a for this program by more than can be told (± 7 % in time, "
            "± 0.1 % in peak memory).");
  EXPECT_EQ(one_to_try(comparison), std::nullopt);
}

TEST(ReplayVerdict, IsNotMadeByLessThanTwoPercentOfTime) {
  Comparison comparison = example();
  comparison.candidates.pop_back();
  comparison.candidates[1].peak = known(1, 0.001);
  comparison.candidates[1].time = known(0.981, 0.001);
  EXPECT_EQ(fastest_of(comparison), std::nullopt);
  comparison.candidates[1].time = known(0.979, 0.001);
  EXPECT_EQ(fastest_of(comparison), 1);
}

TEST(ReplayVerdict, SaysThatThereIsTooLittleTime) {
  Comparison comparison = example();
  for (CandidateFigures& figures : comparison.candidates) {
    figures.time = {1, 1, 1, false, false};
    figures.peak = known(1, 0.01);
  }
  write_verdicts(comparison, 0);
  EXPECT_EQ(comparison.candidates[1].verdict,
            "jemalloc: too little time in malloc to be told, no difference in peak memory that can "
            "be told (± 1 %)");
  EXPECT_TRUE(comparison.verdict.starts_with("Which one is best cannot be told: there is too "))
      << comparison.verdict;
}

TEST(ReplayVerdict, SaysThatNothingIsBetter) {
  Comparison comparison = example();
  comparison.candidates.pop_back();
  comparison.candidates[1].time = known(0.98, 0.03);
  comparison.candidates[1].peak = known(1.2, 0.01);
  write_verdicts(comparison, 0);
  EXPECT_EQ(comparison.verdict,
            "Nothing is better than glibc for this program by more than can be told (± 3 % in "
            "time, ± 1 % in peak memory).");
}

TEST(ReplayVerdict, SaysWhyAnotherIsTheBaseline) {
  Comparison comparison = example();
  comparison.candidates[0].failed = true;
  comparison.candidates[0].failure = "crashed (SIGSEGV) after about 7 calls";
  comparison.candidates[0].is_baseline = false;
  comparison.candidates[1].is_baseline = true;
  comparison.baseline = 1;
  write_verdicts(comparison, 0);
  EXPECT_TRUE(comparison.verdict.starts_with(
      "glibc crashed (SIGSEGV) after about 7 calls, so the others are compared with jemalloc. "
      "mimalloc is best"))
      << comparison.verdict;
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
  for (uint64_t busy : {50, 48, 52}) rounds[0].plain.push_back(results_of(busy, 100, 1, 0));
  for (uint64_t busy : {150, 160, 140}) rounds[1].plain.push_back(results_of(busy, 200, 1, 3000));
  for (uint64_t busy : {100, 105, 95}) rounds[2].plain.push_back(results_of(busy, 200, 2, 1500));
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
