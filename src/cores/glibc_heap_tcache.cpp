// The caches of threads. Each is a chunk that looks like any other of the program's; it is known by
// what it holds, and by a variable of its thread that points at it.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cores/glibc_heap_lists.h"

namespace heapledger::cores {
namespace {

constexpr unsigned kSmallLists = 64;  // of one size each

}  // namespace

std::vector<GlibcLists::Cache> GlibcLists::possible_caches() const {
  return {{64, 2, false}, {64, 1, false}, {76, 2, true}};
}

uint64_t GlibcLists::chunk_bytes(const Cache& cache) const {
  uint64_t bytes = uint64_t{cache.lists} * (cache.count_bytes + layout_.word) + layout_.word;
  return (bytes + layout_.alignment - 1) / layout_.alignment * layout_.alignment;
}

uint64_t GlibcLists::entry(const CacheFound& found, unsigned index) {
  uint64_t entries = found.chunk + 2 * layout_.word + found.cache.lists * found.cache.count_bytes;
  return words_.word(entries + uint64_t{index} * layout_.word).value_or(0);
}

uint64_t GlibcLists::count(const CacheFound& found, unsigned index) {
  uint64_t at = found.chunk + 2 * layout_.word + uint64_t{index} * found.cache.count_bytes;
  if (found.cache.count_bytes == 1) return words_.number8(at).value_or(0);
  return words_.number16(at).value_or(0);
}

GlibcLists::CacheFound GlibcLists::look_at(uint64_t chunk, const Cache& cache) {
  CacheFound found{chunk, cache};
  for (unsigned index = 0; index < cache.lists; ++index) {
    uint64_t first = entry(found, index);
    uint64_t counted = count(found, index);
    if (first == 0) {
      if (!cache.counts_free_places && counted != 0) ++found.wrong;
      continue;
    }
    uint64_t first_chunk = first - 2 * layout_.word;
    std::optional<uint64_t> size = is_inside(first_chunk) ? size_at(first_chunk) : std::nullopt;
    bool fits = size && (index >= kSmallLists ||
                         *size == layout_.least_chunk() + uint64_t{index} * layout_.alignment);
    if (fits && (cache.counts_free_places || counted != 0)) {
      ++found.filled;
    } else {
      ++found.wrong;
    }
  }
  return found;
}

std::vector<GlibcLists::CacheFound> GlibcLists::candidates(const std::vector<GlibcChunk>& chunks) {
  std::vector<CacheFound> all;
  for (const GlibcChunk& chunk : chunks) {
    if (!chunk.in_use || listed_.contains(chunk.address)) continue;
    for (const Cache& cache : possible_caches()) {
      if (chunk.size != chunk_bytes(cache)) continue;
      CacheFound found = look_at(chunk.address, cache);
      // A little damage does not make it something else.
      if (found.wrong == 0 || (found.wrong <= 4 && found.filled >= 2 * found.wrong)) {
        all.push_back(found);
      }
    }
  }
  return all;
}

// The variable is at the same distance from the thread pointer in all threads. It is where most of
// them have a cache that is one beyond doubt; then what the others have there is one, too.
void GlibcLists::add_by_threads(const std::vector<CacheFound>& candidates,
                                std::unordered_map<uint64_t, CacheFound>& sure) {
  constexpr int64_t kAround = 16384;
  std::unordered_map<uint64_t, const CacheFound*> by_block;
  for (const CacheFound& one : candidates) by_block[one.chunk + 2 * layout_.word] = &one;
  if (by_block.empty()) return;
  std::map<int64_t, std::vector<const CacheFound*>> by_distance;
  size_t threads_left = 4096;
  for (const Thread& thread : words_.memory().threads()) {
    if (thread.thread_pointer == 0 || threads_left-- == 0) continue;
    for (int64_t distance = -kAround; distance < kAround; distance += layout_.word) {
      std::optional<uint64_t> word =
          words_.word(thread.thread_pointer + static_cast<uint64_t>(distance));
      if (!word) continue;
      auto block = by_block.find(*word);
      if (block != by_block.end()) by_distance[distance].push_back(block->second);
    }
  }
  const std::vector<const CacheFound*>* best = nullptr;
  size_t most = 0;
  for (const auto& [distance, found] : by_distance) {
    size_t certain =
        static_cast<size_t>(std::count_if(found.begin(), found.end(), [&](const CacheFound* one) {
          return sure.contains(one->chunk);
        }));
    if (certain > most) {
      most = certain;
      best = &found;
    }
  }
  if (best == nullptr) return;
  for (const CacheFound* one : *best) sure.emplace(one->chunk, *one);
}

void GlibcLists::read_cache(const CacheFound& found) {
  for (unsigned index = 0; index < found.cache.lists; ++index) {
    uint64_t at = entry(found, index);
    uint64_t left = found.cache.counts_free_places ? UINT64_MAX : count(found, index);
    while (at != 0 && left-- > 0) {
      uint64_t chunk = at - 2 * layout_.word;
      if (!is_inside(chunk) || !size_at(chunk) || !list(chunk, GlibcListed::kTcache)) {
        problems_.add(
            fmt::format("list {} of the thread's cache at {:#x} leads to {:#x}, "
                        "which is not a free chunk of that list",
                        index, found.chunk, chunk));
        break;
      }
      at = link(at, protects_).value_or(0);
    }
  }
}

std::vector<GlibcLists::CacheFound> GlibcLists::find_caches(const std::vector<GlibcArena>& arenas,
                                                            const std::vector<GlibcChunk>& chunks) {
  std::vector<CacheFound> all = candidates(chunks);
  std::unordered_map<uint64_t, CacheFound> sure;
  for (const CacheFound& one : all) {
    // Lists that lead to chunks of just the right sizes, or the first thing that was ever
    // asked for in an arena.
    bool is_first = std::any_of(arenas.begin(), arenas.end(), [&](const GlibcArena& arena) {
      return !arena.parts.empty() && arena.parts[0].first_chunk == one.chunk;
    });
    if (one.filled > 0 || is_first) sure.emplace(one.chunk, one);
  }
  add_by_threads(all, sure);
  std::vector<CacheFound> found;
  found.reserve(sure.size());
  for (const auto& [chunk, one] : sure) found.push_back(one);
  std::sort(found.begin(), found.end(),
            [](const CacheFound& a, const CacheFound& b) { return a.chunk < b.chunk; });
  return found;
}

}  // namespace heapledger::cores
