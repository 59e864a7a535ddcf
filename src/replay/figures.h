// From the results of plays to the figures of a comparison. No play takes place here.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "replay/compare.h"
#include "replay/statistics.h"

namespace heapledger {

double busy_ns(const results::Results& play);

// What the plays of one candidate gave.
struct Rounds {
  std::vector<std::unique_ptr<results::Results>> plain;  // nothing was timed inside of them
  LatencySum latency;
  std::vector<double> latency_ns_per_tick;
  std::optional<SystemCalls> system_calls;
  std::string why_not_counted;

  double median_busy_ns() const;
  void add_latency(const results::Results& results) {
    latency.add(results);
    latency_ns_per_tick.push_back(results.ns_per_tick);
  }
};

// rounds[0] is the player with an allocator that does nothing, rounds[i + 1] candidates[i]; so with
// failures, which are empty for those that did not fail.
Comparison compare_rounds(const Schedule& schedule, const std::vector<Candidate>& candidates,
                          const std::vector<Rounds>& rounds,
                          const std::vector<std::string>& failures, size_t baseline);

}  // namespace heapledger
