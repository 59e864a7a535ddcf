// The walk from chunk to chunk, and what is done where it leads nowhere.
#include <fmt/format.h>

#include <algorithm>

#include "cores/glibc_heap_parts.h"

namespace heapledger::cores {

std::optional<GlibcHeader> GlibcParts::header(uint64_t chunk) {
  std::optional<uint64_t> word = words_.word(chunk + layout_.word);
  if (!word) return std::nullopt;
  return GlibcHeader{*word & ~uint64_t{7}, *word & 7};
}

bool GlibcParts::is_sound(uint64_t chunk, const GlibcHeader& header, uint64_t end) const {
  return chunk < end && header.size >= layout_.least_chunk() &&
         header.size % layout_.alignment == 0 && header.size <= end - chunk &&
         (header.marks & GlibcHeader::kMapped) == 0 && layout_.is_chunk_address(chunk);
}

// Several chunks in a row that agree with one another: nothing else looks like that. The first has
// to say that the one before it is in use, which the first of a heap and every free one do.
bool GlibcParts::is_chain(uint64_t chunk, uint64_t end, uint64_t top) {
  constexpr int kLinks = 8;
  uint64_t before = 0;
  for (int i = 0; i < kLinks; ++i) {
    if (chunk == top) return i > 0;
    std::optional<GlibcHeader> here = header(chunk);
    if (!here) return false;
    bool marked = (here->marks & GlibcHeader::kBeforeInUse) != 0;
    if (!marked && (i == 0 || words_.word(chunk) != before)) return false;
    // What stands at the end of a heap that has another one behind it.
    if (i > 1 && here->size == 2 * layout_.word) return true;
    if (!is_sound(chunk, *here, end)) return false;
    before = here->size;
    chunk += here->size;
  }
  return true;
}

std::optional<uint64_t> GlibcParts::resume(uint64_t from, uint64_t end, uint64_t top) {
  uint64_t at = layout_.first_chunk(from);
  unsigned holes = 0;
  for (; at < end && at >= from && resume_steps_left_ > 0; at += layout_.alignment) {
    --resume_steps_left_;
    if (at == top || is_chain(at, end, top)) return at;
    // Where there is nothing, not every place needs to be tried.
    if (words_.word(at + layout_.word).value_or(0) != 0) continue;
    if (!words_.word(at + layout_.word)) {
      if (++holes > 65536) return std::nullopt;
      at = layout_.first_chunk(at / 4096 * 4096 + 4096) - layout_.alignment;
    }
    uint64_t data = words_.memory().next_data(at) / 4096 * 4096;
    if (data > at + 4096) at = layout_.first_chunk(std::min(data, end)) - layout_.alignment;
  }
  return std::nullopt;
}

void GlibcParts::walk(GlibcArena& arena, uint32_t index, std::vector<GlibcChunk>& chunks) {
  for (GlibcPart& part : arena.parts) walk_part(arena, index, part, chunks);
}

void GlibcParts::walk_part(GlibcArena& arena, uint32_t index, GlibcPart& part,
                           std::vector<GlibcChunk>& chunks) {
  uint64_t at = part.first_chunk;
  auto lost = [&](const std::string& what) {
    std::optional<uint64_t> next = resume(at + layout_.alignment, part.end, arena.top);
    uint64_t gone = next.value_or(part.end) - at;
    problems_.add(fmt::format("{} at {:#x}: {} bytes skipped", what, at, gone));
    arena.skipped_bytes += gone;
    at = next.value_or(part.end);
  };
  while (at < part.end) {
    if (at == arena.top) return;
    std::optional<GlibcHeader> here = header(at);
    if (!here) {
      lost("a chunk that cannot be read");
      continue;
    }
    bool marked = (here->marks & GlibcHeader::kBeforeInUse) != 0;
    if (!arena.is_main && here->size == 0 && marked) return;  // what closes an older heap
    if (here->size == 2 * layout_.word && 2 * layout_.word < layout_.least_chunk()) {
      // A post at the end of an older piece: two in the main arena, and then other people's memory.
      std::optional<GlibcHeader> second = header(at + here->size);
      at += here->size;
      if (!arena.is_main || !second || second->size != here->size) continue;
      at += second->size;
      std::optional<uint64_t> next = resume(at, part.end, arena.top);
      // Without more behind it, the piece ends here.
      if (!next) part.end = at;
      at = next.value_or(part.end);
      continue;
    }
    if (!is_sound(at, *here, part.end)) {
      lost(fmt::format("a chunk with the impossible size {:#x}", here->size | here->marks));
      continue;
    }
    std::optional<GlibcHeader> behind = header(at + here->size);
    if (!behind) {
      lost("a chunk behind which nothing can be read");
      continue;
    }
    bool in_use = (behind->marks & GlibcHeader::kBeforeInUse) != 0;
    if (!in_use && words_.word(at + here->size) != here->size) {
      problems_.add(fmt::format("the free chunk at {:#x} has two sizes", at));
    }
    // In an arena of threads, a small chunk that is not marked as theirs is a post, too.
    bool post = !arena.is_main && behind->size == 0 && here->size <= layout_.least_chunk() &&
                (here->marks & GlibcHeader::kOtherArena) == 0;
    if (!post) chunks.push_back({at, here->size, index, in_use});
    at += here->size;
  }
}

}  // namespace heapledger::cores
