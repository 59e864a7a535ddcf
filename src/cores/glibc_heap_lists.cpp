#include "cores/glibc_heap_lists.h"

#include <fmt/format.h>

#include <algorithm>

namespace heapledger::cores {

void GlibcLists::know(const std::vector<GlibcArena>& arenas) {
  parts_.clear();
  for (const GlibcArena& arena : arenas) {
    parts_.insert(parts_.end(), arena.parts.begin(), arena.parts.end());
  }
  std::sort(parts_.begin(), parts_.end(),
            [](const GlibcPart& a, const GlibcPart& b) { return a.start < b.start; });
}

bool GlibcLists::is_inside(uint64_t chunk) const {
  if (!layout_.is_chunk_address(chunk)) return false;
  auto behind = std::upper_bound(parts_.begin(), parts_.end(), chunk,
                                 [](uint64_t a, const GlibcPart& part) { return a < part.start; });
  return behind != parts_.begin() && chunk >= std::prev(behind)->first_chunk &&
         chunk < std::prev(behind)->end;
}

std::optional<uint64_t> GlibcLists::size_at(uint64_t chunk) {
  std::optional<uint64_t> word = words_.word(chunk + layout_.word);
  if (!word || (*word & ~uint64_t{7}) < layout_.least_chunk()) return std::nullopt;
  return *word & ~uint64_t{7};
}

bool GlibcLists::list(uint64_t chunk, GlibcListed where) {
  return listed_.emplace(chunk, where).second;
}

void GlibcLists::read_bins(GlibcArena& arena) {
  constexpr unsigned kFirstLarge = 64;
  for (unsigned index = 1; index <= GlibcLayout::kBins; ++index) {
    uint64_t bin = layout_.bin(arena.address, index);
    ChunkSum& sum = index == 1            ? arena.unsorted
                    : index < kFirstLarge ? arena.small_bins
                                          : arena.large_bins;
    uint64_t before = bin;
    uint64_t at = words_.word(bin + 2 * layout_.word).value_or(bin);
    while (at != bin) {
      std::optional<uint64_t> size = is_inside(at) ? size_at(at) : std::nullopt;
      if (!size || words_.word(at + 3 * layout_.word) != before || !list(at, GlibcListed::kBin)) {
        problems_.add(
            fmt::format("bin {} of the arena at {:#x} leads to {:#x}, "
                        "which is not a free chunk of that list",
                        index, arena.address, at));
        break;
      }
      sum.add(*size);
      before = at;
      at = words_.word(at + 2 * layout_.word).value_or(0);
    }
  }
}

// Since 2.32 a link is mixed with the address that it is stored at.
std::optional<uint64_t> GlibcLists::link(uint64_t address, bool is_protected) {
  std::optional<uint64_t> stored = words_.word(address);
  if (!stored || !is_protected) return stored;
  return *stored ^ (address >> 12);
}

// A libc protects all lists or none: whichever way leads from more of the first chunks to another
// one of the same size, or to the end.
void GlibcLists::weigh_protection(const std::vector<uint64_t>& firsts, bool to_blocks) {
  for (uint64_t chunk : firsts) {
    for (bool is_protected : {false, true}) {
      std::optional<uint64_t> next = link(chunk + 2 * layout_.word, is_protected);
      if (!next) continue;
      uint64_t next_chunk = *next - (to_blocks ? 2 * layout_.word : 0);
      bool sound = *next == 0 || (is_inside(next_chunk) && size_at(next_chunk) == size_at(chunk));
      good_links_[is_protected ? 1 : 0] += sound ? 1 : 0;
    }
  }
  protects_ = good_links_[1] > good_links_[0];
}

std::vector<uint64_t> GlibcLists::first_in_fastbins(const GlibcArena& arena) {
  std::vector<uint64_t> firsts;
  for (uint64_t at = layout_.fastbins_offset(); at < layout_.top_offset(); at += layout_.word) {
    uint64_t first = words_.word(arena.address + at).value_or(0);
    if (first <= 1) continue;
    if (is_inside(first)) {
      firsts.push_back(first);
    } else {
      problems_.add(
          fmt::format("a fastbin of the arena at {:#x} leads to {:#x}, which is outside its memory",
                      arena.address, first));
    }
  }
  return firsts;
}

void GlibcLists::read_fastbins(GlibcArena& arena, const std::vector<uint64_t>& firsts) {
  for (uint64_t at : firsts) {
    while (at != 0) {
      std::optional<uint64_t> size = is_inside(at) ? size_at(at) : std::nullopt;
      if (!size || !list(at, GlibcListed::kFastbin)) {
        problems_.add(
            fmt::format("a fastbin of the arena at {:#x} leads to {:#x}, which is not a free chunk "
                        "of that list",
                        arena.address, at));
        break;
      }
      arena.fastbins.add(*size);
      at = link(at + 2 * layout_.word, protects_).value_or(0);
    }
  }
}

std::vector<uint64_t> GlibcLists::read_simple_lists(std::vector<GlibcArena>& arenas,
                                                    const std::vector<GlibcChunk>& chunks) {
  std::vector<std::vector<uint64_t>> fastbins;
  for (const GlibcArena& arena : arenas) {
    fastbins.push_back(first_in_fastbins(arena));
    weigh_protection(fastbins.back(), false);
  }
  std::vector<CacheFound> caches = find_caches(arenas, chunks);
  for (const CacheFound& found : caches) {
    std::vector<uint64_t> firsts;
    for (unsigned index = 0; index < found.cache.lists; ++index) {
      uint64_t first = entry(found, index);
      if (first != 0) firsts.push_back(first - 2 * layout_.word);
    }
    weigh_protection(firsts, true);
  }
  for (size_t i = 0; i < arenas.size(); ++i) read_fastbins(arenas[i], fastbins[i]);
  std::vector<uint64_t> addresses;
  for (const CacheFound& found : caches) {
    addresses.push_back(found.chunk);
    read_cache(found);
  }
  return addresses;
}

}  // namespace heapledger::cores
