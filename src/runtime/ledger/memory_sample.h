// Samples of resident memory, taken by whichever hook comes along when one is due: at most every
// 10 ms, no thread, no timer.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/ledger/clock.h"
#include "runtime/ledger/window.h"

namespace heapledger::runtime {

extern std::atomic<uint64_t> memory_due __attribute__((visibility("hidden")));  // time units

// Takes a sample if none was taken in the last 10 ms and the window has room for it.
void sample_memory(Window& window, uint64_t time);

// One more at the process's end, however short the last one is ago.
void sample_memory_at_exit(Window& window, uint64_t time);

// After a fork: the next sample is due in a moment.
void restart_memory_samples();

// The time of an entry being made, with a sample on the side when one is due.
inline uint64_t stamp(Window& window) {
  uint64_t time = now_units();
  if (__builtin_expect(time >= memory_due.load(std::memory_order_relaxed), 0)) {
    sample_memory(window, time);
  }
  return time;
}

}  // namespace heapledger::runtime
