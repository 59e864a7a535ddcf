// Time as entries have it: units of the tick counter, or of the system's monotonic clock on
// a machine whose counter is not steady.
#pragma once

#include <arch_clock.h>

#include <cstdint>

#include "format/layout.h"
#include "runtime/os/os.h"

namespace heapledger::runtime {

struct Clock {
  bool counter;    // ticks are the counter's, not nanoseconds
  unsigned shift;  // one unit is 2^shift ticks
};
extern Clock clock_choice;

inline uint64_t now_ticks() {
  return __builtin_expect(clock_choice.counter, 1) ? os::counter_ticks()
                                                   : os::read_clocks().monotonic_ns;
}

inline uint64_t now_units() {
  return now_ticks() >> (clock_choice.counter ? os::kTickShift : 0);
}

void choose_clock();
format::ClockPair clock_pair();

}  // namespace heapledger::runtime
