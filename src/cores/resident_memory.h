// What is resident of a process that runs, by mapping, as /proc/PID/smaps has it: told apart by the
// rules that the recorder follows for its own looks (format/resident.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "cores/live_heap.h"
#include "cores/memory.h"

namespace heapledger::cores {

// What helps to tell mappings apart.
struct MappingHints {
  std::vector<uint64_t> in_stacks;   // addresses in the stacks of threads other than the first
  std::vector<std::string> ledgers;  // paths of ledgers that are mapped
  std::vector<OwnRange> own;         // memory of our own runtime: what of it is resident
};

// Of the text of such a file.
ResidentMemory sort_mappings(std::string_view smaps, const MappingHints& hints);

// Of the process that the heap was read from, right behind that: becomes part of the heap, with the
// sum as what is resident. False where the kernel does not tell.
bool add_resident(LiveHeap& heap, const Memory& memory);

}  // namespace heapledger::cores
