// What is said about the figures of a comparison, and which one is chosen by them.
#include "replay/compare_words.h"

#include <gtest/gtest.h>

#include "replay/compare_choice.h"
#include "replay/statistics.h"

namespace heapledger {
namespace {

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

}  // namespace
}  // namespace heapledger
