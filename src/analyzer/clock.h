// Turns the time units of one ledger into nanoseconds: since its start, and on the wall clock that
// ledgers of several processes share. The length of a tick is taken from two clock pairs far apart;
// without a second pair it is estimated, and calibrated() says so. Nothing here overflows: absurd
// times saturate.
#pragma once

#include <cstdint>

#include "format/layout.h"

namespace heapledger {

class LedgerClock {
 public:
  LedgerClock() = default;
  explicit LedgerClock(const format::FileHeader& header);

  // Learns from another pair of ticks and CLOCK_MONOTONIC; the one furthest from the start counts.
  void learn(uint64_t ticks, uint64_t monotonic_ns);

  bool calibrated() const { return newest_ticks_ != 0; }
  double ns_per_tick() const { return static_cast<double>(ns_) / static_cast<double>(ticks_); }

  // The entry time of a tick count, and how many units a number of nanoseconds takes.
  uint64_t units_of_ticks(uint64_t ticks) const { return ticks >> shift_; }
  uint64_t units_in_ns(uint64_t ns) const;

  uint64_t ns_since_start(uint64_t units) const;
  uint64_t wall_ns(uint64_t units) const;

  // The largest unit that is not after that wall time; 0 when the start is.
  uint64_t units_at_wall(uint64_t ns) const;

  uint64_t start_wall_ns() const { return start_.realtime_ns; }

 private:
  void set_rate(uint64_t ns, uint64_t ticks);

  format::ClockPair start_{};
  unsigned shift_ = 0;
  uint64_t newest_ticks_ = 0;
  uint64_t ns_ = 1;     // so many ns are …
  uint64_t ticks_ = 1;  // … so many ticks
};

}  // namespace heapledger
