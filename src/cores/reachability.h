// Which live blocks the program can still get at. Every aligned word of the roots (registers, used
// stacks, writable data of modules, thread-local storage, mappings that are no heap) that is the
// address of a block, and every such word in blocks that are found so, keeps a block. The classes
// are those of Valgrind's memcheck:
//
//   reachable        pointers to the starts of blocks lead there from a root
//   possibly lost    something leads there, but on every way a pointer into the middle of a block
//   indirectly lost  nothing leads there from a root, but something does from a lost block
//   definitely lost  nothing leads there; of blocks that only keep one another, the first by
//   address
//
// Some pointers into the middle count as if they were to the start, see reachability_interior.h.
// Pointers that are hidden (packed, compressed, xored, in a file) are not seen. Stale words in
// used memory keep blocks that nobody will use again: what is called lost is lost, more may be.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cores/live_heap.h"
#include "cores/memory.h"

namespace heapledger::cores {

enum class Reach : uint8_t { kDefinitelyLost, kIndirectlyLost, kPossiblyLost, kReachable };
inline constexpr size_t kReachClasses = 4;

// "definitely lost" and so on.
std::string_view name_of(Reach reach);

struct ReachTotal {
  uint64_t blocks = 0;
  uint64_t bytes = 0;
};

struct Reachability {
  std::vector<Reach> blocks;  // one for each of LiveHeap::blocks
  // For each of them that is definitely lost: what is lost with it, itself not counted. What two of
  // them keep is with one of them.
  std::vector<ReachTotal> kept;
  std::array<ReachTotal, kReachClasses> totals;
  uint64_t root_bytes = 0;            // that were looked through
  uint64_t missing_bytes = 0;         // of roots and blocks, that the dump does not hold
  std::vector<std::string> problems;  // for people: why the answer may be wrong

  const ReachTotal& total(Reach reach) const { return totals[static_cast<size_t>(reach)]; }
};

// Takes time in proportion to the memory that is looked through, and memory in proportion to the
// number of blocks.
Reachability reach(const Memory& memory, const LiveHeap& heap);

}  // namespace heapledger::cores
