#include "replay/compare_choice.h"

#include <algorithm>

#include "replay/statistics.h"

namespace heapledger {
namespace {

constexpr double kChance = 0.05;
constexpr double kLeastGainOfTime = 0.02;
constexpr double kSeveralTimes = 2;

bool is_played(const CandidateFigures& figures) {
  return !figures.failed && !figures.is_baseline;
}

using Allowed = bool (*)(const CandidateFigures&);

std::optional<size_t> least(const Comparison& comparison, Ratio CandidateFigures::*which,
                            Allowed allowed = is_played) {
  const double least_gain = which == &CandidateFigures::time ? kLeastGainOfTime : kWorthAWord;
  std::optional<size_t> best;
  for (size_t i = 0; i < comparison.candidates.size(); ++i) {
    const CandidateFigures& figures = comparison.candidates[i];
    const Ratio ratio = among_all(comparison, figures.*which);
    if (!allowed(figures) || !is_less(ratio) || ratio.ratio > 1 - least_gain) continue;
    if (!best || ratio.ratio < (comparison.candidates[*best].*which).ratio) best = i;
  }
  return best;
}

}  // namespace

bool is_less(const Ratio& ratio) {
  return ratio.defined && ratio.differs() && ratio.ratio < 1 - kWorthAWord;
}

bool is_more(const Ratio& ratio) {
  return ratio.defined && ratio.differs() && ratio.ratio > 1 + kWorthAWord;
}

Ratio among_all(const Comparison& comparison, const Ratio& ratio) {
  const auto others =
      std::count_if(comparison.candidates.begin(), comparison.candidates.end(), is_played);
  if (others <= 1) return ratio;
  return with_interval(ratio, comparison.rounds, kChance / static_cast<double>(others));
}

std::optional<size_t> fastest_of(const Comparison& comparison) {
  return least(comparison, &CandidateFigures::time);
}

std::optional<size_t> smallest_of(const Comparison& comparison) {
  return least(comparison, &CandidateFigures::peak);
}

bool is_a_cost(const Ratio& ratio) {
  return ratio.defined && ratio.known && ratio.low > 1 + kWorthAWord;
}

bool is_worth_its_cost(const CandidateFigures& figures) {
  // A gain counts when it is more than chance; a cost always does.
  const auto part = [](const Ratio& ratio) {
    if (!ratio.defined) return 1.0;
    return is_less(ratio) ? ratio.ratio : std::max(ratio.ratio, 1.0);
  };
  return part(figures.time) * part(figures.peak) < 1;
}

bool is_best(const CandidateFigures& figures) {
  return !is_a_cost(figures.time) && !is_a_cost(figures.peak) && is_worth_its_cost(figures);
}

std::optional<size_t> one_to_try(const Comparison& comparison) {
  const auto sensible = [](const CandidateFigures& figures) {
    return is_played(figures) && is_worth_its_cost(figures) &&
           std::max(figures.time.ratio, figures.peak.ratio) < kSeveralTimes;
  };
  const auto fastest = least(comparison, &CandidateFigures::time, sensible);
  return fastest ? fastest : least(comparison, &CandidateFigures::peak, sensible);
}

}  // namespace heapledger
