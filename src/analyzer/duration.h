// The length of a life in nanoseconds, from time units of one ledger. Never negative, never
// overflows.
#pragma once

#include <cstdint>

namespace heapledger {

inline uint64_t lifetime_ns(uint64_t birth, uint64_t death, double ns_per_unit) {
  constexpr double kLongest = 9.2e18;
  auto units = static_cast<int64_t>(death - birth);
  if (units <= 0) return 0;  // stamped too early by another thread
  double ns = static_cast<double>(units) * ns_per_unit;
  return static_cast<uint64_t>(static_cast<int64_t>(ns < kLongest ? ns : kLongest));
}

}  // namespace heapledger
