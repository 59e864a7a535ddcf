// Chunks that have a mapping of their own, which no list names; and glibc's own account of how many
// there are.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cores/glibc_heap.h"
#include "cores/glibc_heap_arenas.h"
#include "cores/glibc_heap_words.h"

namespace heapledger::cores {

struct GlibcMapped {
  uint64_t block = 0;   // address that the program has
  uint64_t usable = 0;  // room in it
  uint64_t bytes = 0;   // of the mapping
};

// What glibc keeps beside its arenas (its mp_).
struct GlibcAccount {
  uint64_t mapped_chunks = 0;
  uint64_t mapped_bytes = 0;
  uint64_t break_start = 0;  // where the main heap began
};

// `break_start`: what it is known to be; 0: not known.
std::optional<GlibcAccount> find_glibc_account(GlibcWords& words, const GlibcLayout& layout,
                                               uint64_t main_arena, uint64_t break_start);

std::vector<GlibcMapped> find_mapped_chunks(GlibcWords& words, const GlibcLayout& layout,
                                            const std::vector<GlibcArena>& arenas);

}  // namespace heapledger::cores
