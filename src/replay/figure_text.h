// Figures of a replay as people read them, in tables and pictures.
#pragma once

#include <string>

#include "replay/compare.h"

namespace heapledger {

// 35.2 ns, 1.23 ms: like human_duration(), with a digit more where one matters.
std::string ns_text(double ns);

// 0.26, 950, 12.3k, 4.56M
std::string count_text(double count);

// The interval reaches about as far up as down, so that one figure stands for both.
bool is_symmetric(const Ratio& ratio);

// ×0.88 ±0.02; ×3.47 (1.22–9.85) where the interval is not symmetric; without it where nobody knows
// it; "-" where there is nothing to compare with.
std::string ratio_text(const Ratio& ratio);

// 1.08; "-" for 0, which stands for "there is none".
std::string fragmentation_text(double value);

// The time of a single call: "<10 ns" where the clock's steps are too wide to tell it.
std::string single_call_text(double ns, double clock_step_ns);

}  // namespace heapledger
