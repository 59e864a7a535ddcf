// The memory of an arena, from its first chunk to its last: where it is, and the walk over it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cores/glibc_heap.h"
#include "cores/glibc_heap_arenas.h"
#include "cores/glibc_heap_words.h"

namespace heapledger::cores {

// The header of a chunk, its marks apart from its size.
struct GlibcHeader {
  static constexpr uint64_t kBeforeInUse = 1;
  static constexpr uint64_t kMapped = 2;
  static constexpr uint64_t kOtherArena = 4;

  uint64_t size = 0;
  uint64_t marks = 0;
};

struct GlibcChunk {
  uint64_t address = 0;
  uint64_t size = 0;
  uint32_t arena = 0;   // index
  bool in_use = false;  // as the chunk behind it says; those in some lists are free all the same
};

class GlibcParts {
 public:
  GlibcParts(GlibcWords& words, const GlibcLayout& layout, GlibcProblems& problems)
      : words_(words), layout_(layout), problems_(problems) {}

  // Fills in everything that the malloc_state says, and where the arena's memory is. `break_start`:
  // where the break was when the heap began, if known.
  void describe(GlibcArena& arena, std::optional<uint64_t> break_start);

  // Pieces of the main arena that its top does not lead to: where the break could not grow, glibc
  // maps memory instead. All arenas have to be described.
  void add_pieces(std::vector<GlibcArena>& arenas);

  // Adds all chunks of the arena but top.
  void walk(GlibcArena& arena, uint32_t index, std::vector<GlibcChunk>& chunks);

  std::optional<GlibcHeader> header(uint64_t chunk);
  // A chunk of that header can be at `chunk`, before `end`.
  bool is_sound(uint64_t chunk, const GlibcHeader& header, uint64_t end) const;

 private:
  void find_main_part(GlibcArena& arena, std::optional<uint64_t> break_start);
  void find_heaps(GlibcArena& arena);
  std::optional<uint64_t> heap_of_top(const GlibcArena& arena);
  uint64_t end_of_piece(uint64_t chunk, uint64_t end);
  std::optional<uint64_t> first_piece(uint64_t start, uint64_t end, const GlibcArena& arena);
  const Region* region_of(uint64_t address) const;

  void walk_part(GlibcArena& arena, uint32_t index, GlibcPart& part,
                 std::vector<GlibcChunk>& chunks);
  bool is_chain(uint64_t chunk, uint64_t end, uint64_t top);
  std::optional<uint64_t> resume(uint64_t from, uint64_t end, uint64_t top);

  GlibcWords& words_;
  const GlibcLayout layout_;
  GlibcProblems& problems_;
  uint64_t resume_steps_left_ = 100'000'000;
};

}  // namespace heapledger::cores
