// Serves what is allocated while we look up the real allocator: dlsym may call calloc, and a
// library that brings one has constructors, libstdc++'s with 72 KiB among them. Blocks are never
// given back; their addresses are recognised for ever, by free, realloc and malloc_usable_size
// alike. They are ours, not the program's, and never entered.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heapledger::runtime {

inline constexpr size_t kEarlyArenaBytes = 512 * 1024;
extern unsigned char early_arena[kEarlyArenaBytes] __attribute__((visibility("hidden")));

inline bool in_early_arena(const void* block) {
  return reinterpret_cast<uintptr_t>(block) - reinterpret_cast<uintptr_t>(early_arena) <
         kEarlyArenaBytes;
}

// Zeroed memory, or null when the arena is used up. `alignment` is a power of two.
void* early_allocate(size_t size, size_t alignment = 16);
size_t early_size(const void* block);

}  // namespace heapledger::runtime
