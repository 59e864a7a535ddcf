// Where a program can get at its blocks from.
#pragma once

#include <cstdint>
#include <vector>

#include "cores/live_heap.h"
#include "cores/memory.h"
#include "cores/reachability_blocks.h"
#include "cores/reachability_stretch.h"

namespace heapledger::cores {

struct Roots {
  std::vector<Stretch> memory;  // by address; some may not be in the dump
  std::vector<uint64_t> words;  // registers, and what the threads' structures are found by
  std::vector<Stretch>
      allocator;  // in order: data of the C library, which has notes of free memory
};

Roots roots_of(const Memory& memory, const LiveHeap& heap, const BlocksByAddress& blocks);

}  // namespace heapledger::cores
