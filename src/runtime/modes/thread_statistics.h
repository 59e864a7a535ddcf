// The counters behind statistics.h: a record for each thread, which its owner alone adds to, one
// instruction at a time; and one for all those that found no other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/modes/statistics.h"

namespace heapledger::runtime {

// Numbers that can be negative are kept as 64 bits that wrap.
struct alignas(64) ThreadStatistics {
  uint64_t calls;
  uint64_t bytes;
  uint64_t frees;
  uint64_t resizes;
  uint64_t live_blocks;
  uint64_t live_bytes;
  uint64_t untold;  // the part of live_bytes that is not in the process's sum yet
  uint64_t peak_bytes;
  uint64_t sizes[format::kSizeClasses];
  uint64_t looked;    // when a call last looked at the clock
  uint32_t unlooked;  // so many more need not
};

// One call, whatever it was.
struct Change {
  size_t size;          // requested; only with calls
  uint64_t live_bytes;  // usable size taken less what was given back; wraps
  uint64_t live_blocks;
  bool call;
  bool resize;
  bool free;
};

void add_change(const Change& change);

}  // namespace heapledger::runtime
