// The blocks and sites of a live heap in the order in which a ledger can have them; what cannot be
// in one is left out. All in n log n time and memory in proportion to the heap, whatever it says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cores/live_heap.h"

namespace heapledger::cores {

// When the heap was so, since the start.
uint64_t moment_of(const LiveHeap& heap);

// Places in heap.blocks: by time, and by thread where times are the same. Left out, and told:
// blocks that no address space could hold, and of several at one address all but the last.
std::vector<size_t> ordered_blocks(const LiveHeap& heap, std::vector<std::string>& problems);

// Numbers of sites, from 1 on, each behind its parent; but in a circle of parents one is before its
// own.
std::vector<uint32_t> outermost_first(const std::vector<LiveSite>& sites);

}  // namespace heapledger::cores
