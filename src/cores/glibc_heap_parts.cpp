#include "cores/glibc_heap_parts.h"

#include <fmt/format.h>

#include <algorithm>

namespace heapledger::cores {
namespace {

constexpr uint64_t kPageBytes = 4096;
constexpr uint32_t kNotContiguous = 2;

}  // namespace

void GlibcParts::describe(GlibcArena& arena, std::optional<uint64_t> break_start) {
  arena.attached_threads = words_.word(arena.address + layout_.attached_offset());
  arena.system_bytes = words_.word(arena.address + layout_.system_offset()).value_or(0);
  arena.most_system_bytes = words_.word(arena.address + layout_.most_system_offset()).value_or(0);
  uint64_t top = words_.word(arena.address + layout_.top_offset()).value_or(0);
  if (top == layout_.bin(arena.address, 1)) return;  // nothing was ever asked for here
  std::optional<GlibcHeader> at_top = header(top);
  bool is_possible = layout_.is_chunk_address(top) && region_of(top) != nullptr &&
                     (!at_top || (at_top->marks & GlibcHeader::kMapped) == 0);
  if (is_possible) arena.top = top;
  if (is_possible && at_top) {
    arena.top_bytes = at_top->size;
  } else {
    problems_.add(fmt::format("the top chunk at {:#x} of the arena at {:#x} {}", top, arena.address,
                              is_possible ? "cannot be read" : "is none"));
  }
  if (arena.is_main) {
    find_main_part(arena, break_start);
  } else {
    find_heaps(arena);
  }
}

const Region* GlibcParts::region_of(uint64_t address) const {
  const std::vector<Region>& regions = words_.memory().regions();
  auto behind = std::upper_bound(regions.begin(), regions.end(), address,
                                 [](uint64_t a, const Region& region) { return a < region.start; });
  if (behind == regions.begin()) return nullptr;
  const Region& region = *std::prev(behind);
  return address < region.end ? &region : nullptr;
}

// The break in one piece reaches from where it began to the end of top. If somebody else has moved
// the break, or it could not grow, there are several pieces.
void GlibcParts::find_main_part(GlibcArena& arena, std::optional<uint64_t> break_start) {
  uint32_t flags = words_.number32(arena.address + 4).value_or(0);
  uint64_t end = arena.top + arena.top_bytes;
  if (arena.top_bytes != 0 && (flags & kNotContiguous) == 0 && arena.system_bytes <= end &&
      arena.system_bytes >= arena.top_bytes) {
    uint64_t start = end - arena.system_bytes;
    uint64_t first = layout_.first_chunk(start);
    if (first == arena.top || is_chain(first, end, arena.top)) {
      arena.parts.push_back({start, end, first});
      return;
    }
  }
  const Region* top_region = arena.top == 0 ? nullptr : region_of(arena.top);
  // Without its size, top may reach to the end of its memory.
  uint64_t top_end = arena.top_bytes != 0 || top_region == nullptr ? end : top_region->end;
  const Region* break_region = break_start ? region_of(*break_start) : nullptr;
  if (break_region != nullptr) {
    bool has_top = break_region == top_region && arena.top >= *break_start;
    uint64_t limit = has_top ? top_end : break_region->end;
    arena.parts.push_back({*break_start, limit, layout_.first_chunk(*break_start)});
    if (has_top) return;
  }
  if (top_region != nullptr) {
    uint64_t piece = first_piece(top_region->start, arena.top, arena).value_or(arena.top);
    arena.parts.push_back({piece, top_end, layout_.first_chunk(piece)});
  } else if (arena.parts.empty()) {
    problems_.add(fmt::format("where the memory of the main arena at {:#x} begins is not known",
                              arena.address));
  }
}

// The lowest page from which chunks follow one another.
std::optional<uint64_t> GlibcParts::first_piece(uint64_t start, uint64_t end,
                                                const GlibcArena& arena) {
  uint64_t page = (start + kPageBytes - 1) / kPageBytes * kPageBytes;
  for (; page < end && page >= start && resume_steps_left_ > 0; page += kPageBytes) {
    --resume_steps_left_;
    if (is_chain(layout_.first_chunk(page), end + arena.top_bytes, arena.top)) return page;
  }
  return std::nullopt;
}

void GlibcParts::add_pieces(std::vector<GlibcArena>& arenas) {
  GlibcArena& main = arenas[0];
  uint32_t flags = words_.number32(main.address + 4).value_or(0);
  if (main.top == 0 || (flags & kNotContiguous) == 0) return;
  uint64_t found = 0;
  for (const GlibcPart& part : main.parts) found += part.end - part.start;
  std::vector<GlibcPart> known;
  for (const GlibcArena& arena : arenas) {
    known.insert(known.end(), arena.parts.begin(), arena.parts.end());
  }
  for (const Region& region : words_.memory().regions()) {
    if (!region.writable || !(region.path.empty() || region.path[0] == '[')) continue;
    for (uint64_t at = region.start; at >= region.start && at < region.end;) {
      if (found >= main.system_bytes || resume_steps_left_ == 0) return;
      --resume_steps_left_;
      auto inside = std::find_if(known.begin(), known.end(), [&](const GlibcPart& part) {
        return at >= part.start && at < part.end;
      });
      uint64_t first = layout_.first_chunk(at);
      if (inside != known.end()) {
        at = inside->end;
      } else if (is_chain(first, region.end, main.top)) {
        uint64_t end = end_of_piece(first, region.end);
        main.parts.push_back({at, end, first});
        found += end - at;
        at = end;
      } else {
        at = std::max(at + kPageBytes, words_.memory().next_data(at + 1) / kPageBytes * kPageBytes);
      }
      at = (at + kPageBytes - 1) / kPageBytes * kPageBytes;
    }
  }
}

// Behind the posts that close a piece, or where there are no more chunks.
uint64_t GlibcParts::end_of_piece(uint64_t chunk, uint64_t end) {
  while (chunk < end) {
    std::optional<GlibcHeader> here = header(chunk);
    if (!here) break;
    if (here->size == 2 * layout_.word) return std::min(end, chunk + 2 * here->size);
    if (!is_sound(chunk, *here, end)) break;
    chunk += here->size;
  }
  return chunk;
}

// Each heap begins at a multiple of some power of two with a header: its arena, the heap before
// it, its size.
std::optional<uint64_t> GlibcParts::heap_of_top(const GlibcArena& arena) {
  if (arena.top == 0) return std::nullopt;
  for (unsigned power = 16; power <= 36; ++power) {
    uint64_t heap = arena.top & ~((uint64_t{1} << power) - 1);
    if (words_.word(heap) != arena.address) continue;
    std::optional<uint64_t> size = words_.word(heap + 2 * layout_.word);
    if (size && heap + *size == arena.top + arena.top_bytes) return heap;
  }
  return std::nullopt;
}

void GlibcParts::find_heaps(GlibcArena& arena) {
  uint64_t own = arena.address & ~(kPageBytes - 1);  // the heap that it is in itself
  std::optional<uint64_t> heap = heap_of_top(arena);
  if (!heap) {
    problems_.add(fmt::format("the arena at {:#x} has its top at {:#x}, which is in no heap of its",
                              arena.address, arena.top));
    heap = own;
  }
  for (uint64_t at = *heap; at != 0;) {
    std::optional<uint64_t> owner = words_.word(at);
    std::optional<uint64_t> before = words_.word(at + layout_.word);
    std::optional<uint64_t> size = words_.word(at + 2 * layout_.word);
    bool seen = std::any_of(arena.parts.begin(), arena.parts.end(),
                            [&](const GlibcPart& part) { return part.start == at; });
    if (!owner || !before || !size || *owner != arena.address || seen || at + *size < at ||
        arena.parts.size() >= 65536) {
      problems_.add(fmt::format("the heap at {:#x} of the arena at {:#x} has no sound header", at,
                                arena.address));
      break;
    }
    uint64_t first = at == own ? arena.address + layout_.state_bytes() : at + arena.address - own;
    arena.parts.push_back({at, at + *size, layout_.first_chunk(first)});
    at = *before;
  }
  std::reverse(arena.parts.begin(), arena.parts.end());
}

}  // namespace heapledger::cores
