// Where an axis has its numbers: round ones, in one unit for the whole axis.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heapledger {

struct Tick {
  double value = 0;
  std::string label;
};

// 1, 2 or 5 times a power of ten: the smallest step that goes into `range` at most `most` times.
double round_step(double range, size_t most);

// From 0 up to `top`, at most `most` steps. In whole bytes, in nanoseconds, and as numbers of
// anything that is never in parts; a suffix such as "/s" follows the unit.
std::vector<Tick> byte_ticks(double top, size_t most, std::string_view suffix = "");
std::vector<Tick> time_ticks(double top_ns, size_t most);
std::vector<Tick> count_ticks(double top, size_t most, std::string_view suffix = "");

}  // namespace heapledger
