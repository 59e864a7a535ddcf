// Figures of a replay as people read them, in tables and pictures.
#pragma once

#include <string>

#include "replay/compare.h"

namespace heapledger {

// 35.2 ns, 1.23 ms: like human_duration(), with a digit more where one matters.
std::string ns_text(double ns);

// 950, 12.3k, 4.56M
std::string count_text(double count);

// ×0.88 ±0.02; without the uncertainty where nobody knows it.
std::string ratio_text(const Ratio& ratio);

// 1.08; "-" for 0, which stands for "there is none".
std::string fragmentation_text(double value);

}  // namespace heapledger
