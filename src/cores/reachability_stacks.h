// The stacks of threads: what of them is in use, and what lies there that nobody uses any more.
#pragma once

#include <cstdint>
#include <vector>

#include "cores/memory.h"
#include "cores/reachability_stretch.h"

namespace heapledger::cores {

// How much below the stack pointer code may use all the same.
uint64_t red_zone(const Shape& shape);

struct UnusedStacks {
  std::vector<Stretch> memory;          // in order
  std::vector<uint64_t> ended_threads;  // what were their thread pointers
};

// The parts of stacks that are not in use: below the stack pointers, and whole stacks of threads
// that have ended (glibc keeps those for the next ones). Only where it is certain that it is the
// stack of a thread: of other memory a stack pointer may be in, everything is in use.
UnusedStacks unused_stacks(const Memory& memory, const std::vector<Stretch>& heaps);

// Whether it is mapped from a file; names like [stack] and [anon:…] are none.
inline bool is_file(const Region& region) {
  return !region.path.empty() && region.path[0] != '[';
}

// The region that `address` lies in; nullptr if none.
const Region* region_of(const Memory& memory, uint64_t address);

}  // namespace heapledger::cores
