// The heap of a program that never loaded our library: glibc's own books, read in any memory. What
// is known then is each chunk's address and size and whether it is in use; where it was asked for,
// nobody has written down.
//
// Everything is recognised by what must be true of it, not by symbols: a libc without them is read
// as well. glibc 2.26 to 2.43, 32 and 64 bit, of either byte order, static programs too. Memory is
// bounded by what could be read; whatever is odd becomes a problem with its address, and the walk
// goes on behind it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cores/live_heap.h"
#include "cores/memory.h"

namespace heapledger::cores {

// Chunks and what they take, headers included.
struct ChunkSum {
  uint64_t chunks = 0;
  uint64_t bytes = 0;

  void add(uint64_t chunk_bytes) {
    ++chunks;
    bytes += chunk_bytes;
  }
  ChunkSum& operator+=(const ChunkSum& other) {
    chunks += other.chunks;
    bytes += other.bytes;
    return *this;
  }
};

// A stretch of memory that an arena has from the system: a sub-heap, or a piece of the break.
struct GlibcPart {
  uint64_t start = 0;
  uint64_t end = 0;
  uint64_t first_chunk = 0;
};

struct GlibcArena {
  uint64_t address = 0;  // of its malloc_state
  bool is_main = false;
  std::optional<uint64_t> attached_threads;
  uint64_t system_bytes = 0;  // as the arena itself says
  uint64_t most_system_bytes = 0;
  uint64_t top = 0;  // address of the chunk that new ones are cut from; 0: none
  uint64_t top_bytes = 0;
  std::vector<GlibcPart> parts;

  // As its lists say.
  ChunkSum fastbins, unsorted, small_bins, large_bins;
  // As the walk over its parts found them.
  ChunkSum in_use;
  ChunkSum own;        // of the allocator itself: the caches of threads
  ChunkSum in_tcache;  // free, in the cache of some thread
  ChunkSum unlisted;   // free, but in no list
  uint64_t largest_free = 0;
  uint64_t skipped_bytes = 0;  // between chunks that made sense
};

// Chunks in use whose room is exactly `size`.
struct GlibcSize {
  uint64_t size = 0;
  uint64_t chunks = 0;
};

struct GlibcHeap {
  std::vector<GlibcArena> arenas;  // the main one first
  uint64_t tcaches = 0;            // caches of threads found
  bool protected_links = false;    // lists are stored as glibc does since 2.32

  // In use: blocks of the program, in arenas and mapped ones.
  ChunkSum in_use;
  uint64_t usable_bytes = 0;                      // what they have room for
  std::array<ChunkSum, 65> by_power{};            // by bit_width of their room; bytes: of room
  std::vector<GlibcSize> sizes;                   // by bytes, the most first
  ChunkSum mapped;                                // of those, with a mapping of their own
  std::optional<uint64_t> mapped_chunks_counted;  // as glibc's own account has it
  std::optional<uint64_t> mapped_bytes_counted;

  ChunkSum own;
  ChunkSum free_in_bins, free_in_fastbins, free_in_tcache, free_unlisted;
  uint64_t top_bytes = 0;
  uint64_t system_bytes = 0;  // of all arenas; mapped chunks come on top of that
  uint64_t largest_free = 0;  // chunk, besides top
  uint64_t skipped_bytes = 0;

  std::vector<std::string> problems;
  LiveHeap live;

  // Free inside the heaps: everything but top, which could be given back.
  ChunkSum free_inside() const {
    ChunkSum sum = free_in_bins;
    sum += free_in_fastbins;
    sum += free_in_tcache;
    sum += free_unlisted;
    return sum;
  }
};

// Nothing when there is no heap of glibc's in there.
std::optional<GlibcHeap> walk_glibc_heap(const Memory& memory);

}  // namespace heapledger::cores
