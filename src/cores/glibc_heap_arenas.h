// Where glibc's arenas are. The main one is a variable of libc's or of a static program's; the
// others are found from it, over the ring that all of them form.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cores/glibc_heap_words.h"

namespace heapledger::cores {

// How this libc lays out its malloc_state and its chunks. Versions differ only in what is before
// the bins: the number of lists for small chunks (none since 2.43), and a flag since 2.27.
struct GlibcLayout {
  static constexpr unsigned kBins = 127;

  unsigned word = 8;
  unsigned alignment = 16;
  uint64_t bins_offset = 112;

  uint64_t top_offset() const { return bins_offset - 2 * word; }
  // Ten lists, if there are any. Of 32 bit, there may be eleven; where there are not, what stands
  // in their place is 0 or 1 and no list.
  uint64_t fastbins_offset() const {
    if (word == 4) return 8;
    return top_offset() < 10 * 8 ? top_offset() : top_offset() - 10 * 8;
  }
  uint64_t next_offset() const { return bins_offset + uint64_t{2} * kBins * word + 16; }
  uint64_t attached_offset() const { return next_offset() + 2 * word; }
  uint64_t system_offset() const { return next_offset() + 3 * word; }
  uint64_t most_system_offset() const { return next_offset() + 4 * word; }
  uint64_t state_bytes() const { return next_offset() + 5 * word; }

  // A bin is addressed as if it were a chunk, whose links are where the bin's are.
  uint64_t bin(uint64_t arena, unsigned index) const {
    return arena + bins_offset + uint64_t{2} * word * (index - 1) - 2 * word;
  }

  uint64_t least_chunk() const { return (4 * word + alignment - 1) / alignment * alignment; }
  // Where the first chunk at or behind `address` can be.
  uint64_t first_chunk(uint64_t address) const {
    uint64_t block = address + 2 * word + alignment - 1;
    return block / alignment * alignment - 2 * word;
  }
  bool is_chunk_address(uint64_t address) const { return (address + 2 * word) % alignment == 0; }
};

struct GlibcArenas {
  GlibcLayout layout;
  std::vector<uint64_t> addresses;  // the main one first
};

std::optional<GlibcArenas> find_glibc_arenas(GlibcWords& words, GlibcProblems& problems);

}  // namespace heapledger::cores
