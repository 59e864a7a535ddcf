// The functions that a ledger tells of: a row for each, with the numbers by which the file knows
// it. Both sides make everything that goes by function from this table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "format/entry.h"

namespace heapledger::format {

// What an entry does to the blocks of a heap.
enum class Event : uint8_t {
  kNote,    // nothing: it describes the process
  kBirth,   // of `pointer`
  kDeath,   // of `pointer`
  kResize,  // death of `old_pointer`, then birth of `pointer`
};

// Values are part of the format: rows of count tables, and in entries.
enum class Function : uint8_t {
  kMalloc = 0,
  kFree = 1,
  kCalloc = 2,
  kRealloc = 3,
  kReallocArray = 4,
  kPosixMemalign = 5,
  kAlignedAlloc = 6,
  kMemalign = 7,
  kValloc = 8,
  kPvalloc = 9,
  kFreeSized = 10,
  kFreeAlignedSized = 11,
  kUsableSize = 12,  // a question, no allocation
  kMmap = 13,
  kMunmap = 14,
  kMremap = 15,
  kBrk = 16,
  kPoolAllocate = 17,
  kPoolFree = 18,
  kPoolResize = 19,
};
inline constexpr size_t kFunctions = 20;
// Those of malloc's family come first; count mode counts them.
inline constexpr size_t kHeapFunctions = 13;

// Which entries a call becomes; kEnd: it is never that.
struct FunctionRow {
  Function id;
  const char* name;
  Kind birth;
  Kind death;
  Kind resize;
  bool aligned;  // its births carry an alignment
};

inline constexpr std::array<FunctionRow, kFunctions> kFunctionTable = {{
    {Function::kMalloc, "malloc", Kind::kMalloc, Kind::kEnd, Kind::kEnd, false},
    {Function::kFree, "free", Kind::kEnd, Kind::kFree, Kind::kEnd, false},
    {Function::kCalloc, "calloc", Kind::kCalloc, Kind::kEnd, Kind::kEnd, false},
    {Function::kRealloc, "realloc", Kind::kReallocNew, Kind::kReallocFree, Kind::kRealloc, false},
    {Function::kReallocArray, "reallocarray", Kind::kReallocArrayNew, Kind::kReallocArrayFree,
     Kind::kReallocArray, false},
    {Function::kPosixMemalign, "posix_memalign", Kind::kPosixMemalign, Kind::kEnd, Kind::kEnd,
     true},
    {Function::kAlignedAlloc, "aligned_alloc", Kind::kAlignedAlloc, Kind::kEnd, Kind::kEnd, true},
    {Function::kMemalign, "memalign", Kind::kMemalign, Kind::kEnd, Kind::kEnd, true},
    {Function::kValloc, "valloc", Kind::kValloc, Kind::kEnd, Kind::kEnd, false},
    {Function::kPvalloc, "pvalloc", Kind::kPvalloc, Kind::kEnd, Kind::kEnd, false},
    {Function::kFreeSized, "free_sized", Kind::kEnd, Kind::kFreeSized, Kind::kEnd, false},
    {Function::kFreeAlignedSized, "free_aligned_sized", Kind::kEnd, Kind::kFreeAlignedSized,
     Kind::kEnd, false},
    {Function::kUsableSize, "malloc_usable_size", Kind::kEnd, Kind::kEnd, Kind::kEnd, false},
    {Function::kMmap, "mmap", Kind::kEnd, Kind::kEnd, Kind::kEnd, false},
    {Function::kMunmap, "munmap", Kind::kEnd, Kind::kEnd, Kind::kEnd, false},
    {Function::kMremap, "mremap", Kind::kEnd, Kind::kEnd, Kind::kEnd, false},
    {Function::kBrk, "brk", Kind::kEnd, Kind::kEnd, Kind::kEnd, false},
    {Function::kPoolAllocate, "heapledger_pool_alloc", Kind::kEnd, Kind::kEnd, Kind::kEnd, false},
    {Function::kPoolFree, "heapledger_pool_free", Kind::kEnd, Kind::kEnd, Kind::kEnd, false},
    {Function::kPoolResize, "heapledger_pool_resize", Kind::kEnd, Kind::kEnd, Kind::kEnd, false},
}};

// In the order in which people are shown them: what allocates, what frees, questions, other heaps.
inline constexpr std::array<Function, kFunctions> kListedFunctions = [] {
  std::array<Function, kFunctions> listed{};
  size_t count = 0;
  auto add_if = [&](bool (*wanted)(const FunctionRow&)) {
    for (size_t i = 0; i < kHeapFunctions; ++i) {
      if (wanted(kFunctionTable[i])) listed[count++] = kFunctionTable[i].id;
    }
  };
  add_if([](const FunctionRow& row) { return row.birth != Kind::kEnd; });
  add_if([](const FunctionRow& row) { return row.birth == Kind::kEnd && row.death != Kind::kEnd; });
  add_if([](const FunctionRow& row) { return row.birth == Kind::kEnd && row.death == Kind::kEnd; });
  for (size_t i = kHeapFunctions; i < kFunctions; ++i) listed[count++] = kFunctionTable[i].id;
  return listed;
}();

inline constexpr const FunctionRow& row_of(Function function) {
  return kFunctionTable[static_cast<size_t>(function)];
}

inline constexpr const char* name_of(Function function) {
  return row_of(function).name;
}

// What a kind of malloc's family stands for.
struct KindMeaning {
  Event event = Event::kNote;
  Function function = Function::kMalloc;
};

inline constexpr std::array<KindMeaning, 64> kMeaningOfKind = [] {
  std::array<KindMeaning, 64> table{};
  auto set = [&table](Kind kind, Event event, Function function) {
    if (kind != Kind::kEnd) table[static_cast<size_t>(kind)] = {event, function};
  };
  for (size_t i = 0; i < kFunctions; ++i) {
    const FunctionRow& row = kFunctionTable[i];
    set(row.birth, Event::kBirth, row.id);
    set(row.death, Event::kDeath, row.id);
    set(row.resize, Event::kResize, row.id);
  }
  return table;
}();

inline constexpr KindMeaning meaning_of(Kind kind) {
  return kMeaningOfKind[static_cast<uint8_t>(kind) & 63];
}

inline constexpr Event event_of(Kind kind) {
  return meaning_of(kind).event;
}

}  // namespace heapledger::format
