// What several rounds of one figure add up to.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/compare.h"

namespace heapledger {

double median_of(std::vector<double> values);  // 0 for none

Measured measured_from(std::vector<double> rounds);

// Student's t: how many standard errors either way all means lie within but for the given part, for
// so many values less one.
double t_quantile(size_t degrees, double outside = 0.05);

// A ratio of so many pairs, with an interval that leaves out the given part instead of 5 %.
Ratio with_interval(const Ratio& ratio, size_t pairs, double outside);

// A histogram of results.h, of several plays.
class LatencySum {
 public:
  void add(const results::Results& results);
  uint64_t count() const { return count_; }
  uint64_t worst() const { return worst_; }
  // Ticks that the given part of all calls took at most, straight between the ends of a bucket. A
  // clock that goes in steps tells times only to half a step either way: buckets are no narrower.
  double quantile(double part, uint32_t step = 1) const;
  // The steps in which short times were told.
  uint32_t clock_step() const;

 private:
  std::vector<uint64_t> buckets_ = std::vector<uint64_t>(results::kLatencyBuckets);
  uint64_t count_ = 0;
  uint64_t worst_ = 0;
};

}  // namespace heapledger
