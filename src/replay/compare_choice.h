// Which of several allocators is to be preferred, and when that is more than chance.
#pragma once

#include <optional>

#include "replay/compare.h"

namespace heapledger {

constexpr double kWorthAWord = 0.005;

// The ratio differs by what can be told, and by enough to be worth a word.
bool is_less(const Ratio& ratio);
bool is_more(const Ratio& ratio);

// The ratio as it is to be taken when the best of all is chosen by it: of many that are alike, one
// looks better by chance, so each has its part of the 5 % alone (Bonferroni).
Ratio among_all(const Comparison& comparison, const Ratio& ratio);

// Those that clearly have less of it than the baseline, and the least. Of time they have to have at
// least 2 % less: what else a machine does makes as much of a difference.
std::optional<size_t> fastest_of(const Comparison& comparison);
std::optional<size_t> smallest_of(const Comparison& comparison);

// It surely has more of that than the baseline.
bool is_a_cost(const Ratio& ratio);

// It gains more than it costs, time and memory counting alike.
bool is_worth_its_cost(const CandidateFigures& figures);

// Better than the baseline without a cost.
bool is_best(const CandidateFigures& figures);

// The one to try: the fastest, or else the smallest, of those that are worth what they cost and
// take not several times as much of the other.
std::optional<size_t> one_to_try(const Comparison& comparison);

}  // namespace heapledger
