// The processor's clock, x86-64: the time stamp counter, which runs at one rate on all processors.
#pragma once

#include <stdint.h>

namespace heapledger::player {

inline uint64_t ticks() {
  return __builtin_ia32_rdtsc();
}

// Before and after a call that is timed by itself: nothing of what comes before is still under way
// when it begins, and all of it is done when the clock is read again.
inline uint64_t ticks_before() {
  uint32_t low = 0;
  uint32_t high = 0;
  __asm__ volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high) : : "memory");
  return static_cast<uint64_t>(high) << 32 | low;
}
inline uint64_t ticks_after() {
  uint32_t low = 0;
  uint32_t high = 0;
  __asm__ volatile("rdtscp\n\tlfence" : "=a"(low), "=d"(high) : : "ecx", "memory");
  return static_cast<uint64_t>(high) << 32 | low;
}

inline void relax() {
  __builtin_ia32_pause();
}

}  // namespace heapledger::player
