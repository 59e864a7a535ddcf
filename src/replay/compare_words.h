// What a comparison says to people: sentences with their uncertainty.
#pragma once

#include <string>

#include "replay/compare.h"

namespace heapledger {

// "31 % less time in malloc, 12 % less peak memory, ± 2 %".
std::string difference_in_words(const Ratio& time, const Ratio& peak);

// "± 2 %" of a known ratio; "×1.22 to ×9.85" where it is not the same either way.
std::string uncertainty_in_words(const Ratio& ratio);

// Fills the verdicts of all candidates and of the whole. `wanted`: the baseline that was asked for.
void write_verdicts(Comparison& comparison, size_t wanted);

}  // namespace heapledger
