// The one value that a stack has in formats with room for one: any figure of the catalogue that
// adds up over stacks, and what is live at two moments that have a word of their own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/query.h"

namespace heapledger {

struct Metric {
  // Live figures are of the moment that is asked for, or of one that the metric itself names.
  enum class When : uint8_t { kAsked, kPeak, kEnd };

  Measure measure = Measure::kLiveBytes;
  When when = When::kAsked;
};
inline constexpr Metric kNeverFreedMetric{Measure::kLiveBytes, Metric::When::kEnd};

// "peak", "never-freed", and words of the catalogue.
std::vector<std::string> metric_words();
// One of them. Throws Error.
Metric parse_metric(std::string_view text);

// "bytes", "blocks", "calls" or "nanoseconds".
std::string_view unit_of(Metric metric);

// For people: "bytes live at the peak".
std::string describe(Metric metric, const Question& question);

inline uint64_t value_of(const Figures& figures, Metric metric) {
  return value_of(figures, metric.measure);
}

}  // namespace heapledger
