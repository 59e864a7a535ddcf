// The one value that a stack has in formats with room for one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analyzer/query.h"

namespace heapledger {

enum class Metric {
  kCalls,
  kBytes,      // asked for, by all calls
  kLive,       // bytes live at the moment
  kPeak,       // bytes live when all together were at their peak
  kTemporary,  // calls
  kUnfreed,    // bytes live at the end
  kTime,       // that samples stand for, in nanoseconds
};

// "calls", "bytes", "live", "peak", "temporary", "never-freed", "time". Throws Error.
Metric parse_metric(std::string_view text);
std::string_view name_of(Metric metric);

// "bytes", "calls" or "nanoseconds".
std::string_view unit_of(Metric metric);

// For people: "bytes live at the peak".
std::string describe(Metric metric, const Question& question);

uint64_t value_of(const Figures& figures, Metric metric);

// What to sort by.
Measure measure_of(Metric metric);

// Gives the question the moment that the metric is of. Throws Error when the user has chosen
// another (`moment_given`) or a range that the metric is not for.
void set_moment(Metric metric, bool moment_given, Question& question);

// Throws Error when the ledgers do not have it: time is only in ledgers that were recorded so.
void expect_metric(Ledgers& ledgers, Metric metric);

}  // namespace heapledger
