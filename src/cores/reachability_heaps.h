// The memory of allocators: where a word outside of a live block is no root, because it is a block
// that was freed, or the allocator's own note of where blocks are. Nothing in a core names it, so
// it is told by the live blocks and by what glibc writes at the head of its heaps.
#pragma once

#include <cstdint>
#include <vector>

#include "cores/memory.h"
#include "cores/reachability_blocks.h"
#include "cores/reachability_stretch.h"

namespace heapledger::cores {

// Of glibc, exactly: its heaps, and of blocks that are mappings of their own just those. Regions
// with blocks of other allocators, as a whole, but for `kept`, and there from the first block to
// the last. `kept` is in order, and so is the answer.
std::vector<Stretch> heaps_of(const Memory& memory, const BlocksByAddress& blocks,
                              const std::vector<Stretch>& kept);

}  // namespace heapledger::cores
