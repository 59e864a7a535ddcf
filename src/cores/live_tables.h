// The tables of live mode (format/live_tables.h), read out of any memory: of this machine's kind or
// of another's, as far as the tables themselves say.
#pragma once

#include <cstdint>
#include <optional>

#include "cores/live_heap.h"
#include "cores/memory.h"

namespace heapledger::cores {

// Where the tables' header is, and how numbers are stored there.
struct FoundTables {
  uint64_t address = 0;  // where it is in `memory`
  uint64_t self = 0;     // where it says that it is
  Shape shape;
};

// Looks through all of the memory. Of several (a program that forked without using its heap since,
// copies in a dump of a whole machine) the first that makes sense; `pid`: the one of this process,
// if there is any.
std::optional<FoundTables> find_live_tables(const Memory& memory, uint32_t pid = 0);

// Whether a header is at this very address.
std::optional<FoundTables> live_tables_at(const Memory& memory, uint64_t address);

// What the tables hold. `now_ns`: the monotonic clock of that machine at this moment, where it is
// known; otherwise it is as late as the tables say.
LiveHeap read_live_tables(const Memory& memory, const FoundTables& found,
                          std::optional<uint64_t> now_ns = std::nullopt);

}  // namespace heapledger::cores
