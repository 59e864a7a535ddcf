// What count mode keeps for a thread: a table of counters in an extent of the ledger, mapped
// shared, so that it is in the file whatever becomes of the program. An extent of such tables
// begins like any other, with kCountMagic. docs/format.md says the same in words.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "format/functions.h"
#include "format/layout.h"

namespace heapledger::format {

inline constexpr uint32_t kCountMagic = 0x4e'4c'48'b1;  // bytes B1 'H' 'L' 'N'

// Rows of a table, by format::Function. A table has no room for more.
inline constexpr unsigned kCountedFunctions = kHeapFunctions;
inline constexpr unsigned kSizeClasses = 64;

// The class of a size: 0 for 0, n for 2^(n-1) to 2^n - 1. No block is larger than 2^63 - 1.
inline unsigned size_class(uint64_t size) {
  return 63u - static_cast<unsigned>(std::countl_zero(size * 2 + 1));
}

struct CountCell {
  uint64_t calls;  // that returned a block
  uint64_t bytes;  // that they asked for
};

inline constexpr uint32_t kCountShared = 1;  // of all threads that found no table of their own

struct CountTable {
  uint64_t threads;  // that have counted here, one after the other; 0: the table is not in use
  uint32_t tid;      // of the last of them
  uint32_t flags;
  char name[16];  // likewise
  // Of these threads, those that no thread entry and no other table tells of.
  uint64_t only_here;
  uint64_t reserved[3];
  uint64_t frees[16];    // by function: blocks freed, by realloc to nothing as well
  uint64_t resizes[16];  // by function: calls that resized a block
  CountCell cells[kCountedFunctions][kSizeClasses];
};
static_assert(offsetof(CountTable, frees) == 64);
static_assert(offsetof(CountTable, cells) == 320);
static_assert(sizeof(CountTable) == 13632);

// Where the tables of an extent are. Each begins on a cache line of its own.
inline constexpr unsigned kTablesPerExtent = 4;
inline constexpr size_t kTableStride = 16320;
static_assert(kTableStride >= sizeof(CountTable) && kTableStride % 64 == 0);
static_assert(kTablesPerExtent * kTableStride <= kPayloadBytes);

}  // namespace heapledger::format
