#include "cores/glibc_heap.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "cores/glibc_heap_arenas.h"
#include "cores/glibc_heap_lists.h"
#include "cores/glibc_heap_mapped.h"
#include "cores/glibc_heap_parts.h"
#include "cores/glibc_heap_words.h"

namespace heapledger::cores {
namespace {

class GlibcWalk {
 public:
  explicit GlibcWalk(const Memory& memory) : memory_(memory), words_(memory) {}

  std::optional<GlibcHeap> walk();

 private:
  void find_parts(GlibcParts& parts, const GlibcLayout& layout);
  std::optional<uint64_t> start_of_break(const GlibcLayout& layout);
  void sort_out(const GlibcLists& lists, const std::vector<uint64_t>& tcaches);
  void sort_out(const GlibcChunk& chunk, const GlibcLists& lists,
                const std::unordered_set<uint64_t>& tcaches);
  void add_mapped(const GlibcLayout& layout);
  void add_block(uint64_t address, uint64_t usable, uint64_t chunk_bytes);
  void check_arenas();
  void add_up();
  void describe_live();

  const Memory& memory_;
  GlibcWords words_;
  GlibcProblems problems_;
  std::vector<GlibcChunk> chunks_;
  std::unordered_map<uint64_t, uint64_t> by_size_;
  GlibcHeap heap_;
};

std::optional<GlibcHeap> GlibcWalk::walk() {
  std::optional<GlibcArenas> found = find_glibc_arenas(words_, problems_);
  if (!found) return std::nullopt;
  for (size_t i = 0; i < found->addresses.size(); ++i) {
    GlibcArena arena;
    arena.address = found->addresses[i];
    arena.is_main = i == 0;
    heap_.arenas.push_back(std::move(arena));
  }
  GlibcLayout layout = found->layout;
  // Top tells when a guess at the alignment was too high.
  uint64_t top = words_.word(found->addresses[0] + layout.top_offset()).value_or(0);
  if (layout.word == 4 && top % 16 == 0) layout.alignment = 8;

  GlibcParts parts(words_, layout, problems_);
  GlibcLists lists(words_, layout, problems_);
  find_parts(parts, layout);
  lists.know(heap_.arenas);
  for (GlibcArena& arena : heap_.arenas) lists.read_bins(arena);
  for (uint32_t i = 0; i < heap_.arenas.size(); ++i) parts.walk(heap_.arenas[i], i, chunks_);
  std::vector<uint64_t> tcaches = lists.read_simple_lists(heap_.arenas, chunks_);
  heap_.tcaches = tcaches.size();
  heap_.protected_links = lists.protects_links();
  sort_out(lists, tcaches);
  add_mapped(layout);
  add_up();
  describe_live();
  return std::move(heap_);
}

// Where the main heap began, if it is in one piece.
std::optional<uint64_t> GlibcWalk::start_of_break(const GlibcLayout& layout) {
  uint64_t main = heap_.arenas[0].address;
  std::optional<uint64_t> top = words_.word(main + layout.top_offset());
  std::optional<uint64_t> system = words_.word(main + layout.system_offset());
  if (!top || !system) return std::nullopt;
  std::optional<uint64_t> size = words_.word(*top + layout.word);
  if (!size || *top + (*size & ~uint64_t{7}) < *system) return std::nullopt;
  return *top + (*size & ~uint64_t{7}) - *system;
}

void GlibcWalk::find_parts(GlibcParts& parts, const GlibcLayout& layout) {
  GlibcArena& main = heap_.arenas[0];
  std::optional<uint64_t> break_start = start_of_break(layout);
  std::optional<GlibcAccount> account =
      find_glibc_account(words_, layout, main.address, break_start.value_or(0));
  if (account) {
    heap_.mapped_chunks_counted = account->mapped_chunks;
    heap_.mapped_bytes_counted = account->mapped_bytes;
    break_start = account->break_start;
  } else {
    break_start.reset();
  }
  for (GlibcArena& arena : heap_.arenas) parts.describe(arena, break_start);
  parts.add_pieces(heap_.arenas);
}

void GlibcWalk::sort_out(const GlibcLists& lists, const std::vector<uint64_t>& tcaches) {
  std::unordered_set<uint64_t> own(tcaches.begin(), tcaches.end());
  for (const GlibcChunk& chunk : chunks_) sort_out(chunk, lists, own);
  for (const GlibcArena& arena : heap_.arenas) {
    if (arena.unlisted.chunks == 0) continue;
    problems_.add(fmt::format("{} free chunks of the arena at {:#x} are in no list",
                              arena.unlisted.chunks, arena.address));
  }
}

void GlibcWalk::sort_out(const GlibcChunk& chunk, const GlibcLists& lists,
                         const std::unordered_set<uint64_t>& tcaches) {
  GlibcArena& arena = heap_.arenas[chunk.arena];
  auto listed = lists.listed().find(chunk.address);
  if (chunk.in_use && listed == lists.listed().end()) {
    if (tcaches.contains(chunk.address)) {
      arena.own.add(chunk.size);
      return;
    }
    arena.in_use.add(chunk.size);
    add_block(chunk.address + 2 * words_.size(), chunk.size - words_.size(), chunk.size);
    return;
  }
  arena.largest_free = std::max(arena.largest_free, chunk.size);
  if (listed == lists.listed().end()) {
    arena.unlisted.add(chunk.size);
  } else if (listed->second == GlibcListed::kTcache) {
    arena.in_tcache.add(chunk.size);
  }
}

void GlibcWalk::add_block(uint64_t address, uint64_t usable, uint64_t chunk_bytes) {
  LiveBlock block;
  block.address = address;
  block.size = usable;
  heap_.live.blocks.push_back(block);
  heap_.in_use.add(chunk_bytes);
  heap_.usable_bytes += usable;
  heap_.by_power[static_cast<size_t>(std::bit_width(usable))].add(usable);
  ++by_size_[usable];
}

void GlibcWalk::add_mapped(const GlibcLayout& layout) {
  for (const GlibcMapped& chunk : find_mapped_chunks(words_, layout, heap_.arenas)) {
    heap_.mapped.add(chunk.bytes);
    add_block(chunk.block, chunk.usable, chunk.bytes);
  }
  if (!heap_.mapped_chunks_counted) return;
  if (heap_.mapped.chunks != *heap_.mapped_chunks_counted ||
      heap_.mapped.bytes != *heap_.mapped_bytes_counted) {
    problems_.add(
        fmt::format("glibc counts {} mapped chunks with {} bytes, {} with {} bytes were found",
                    *heap_.mapped_chunks_counted, *heap_.mapped_bytes_counted, heap_.mapped.chunks,
                    heap_.mapped.bytes));
  }
}

// What an arena says of itself may be damaged: no more than the addresses there are.
void GlibcWalk::check_arenas() {
  uint64_t whole = 0;
  for (const Region& region : memory_.regions()) whole += region.end - region.start;
  for (GlibcArena& arena : heap_.arenas) {
    if (arena.system_bytes <= whole) continue;
    problems_.add(fmt::format("the arena at {:#x} says that it has {} bytes: not believed",
                              arena.address, arena.system_bytes));
    arena.system_bytes = 0;
    for (const GlibcPart& part : arena.parts) arena.system_bytes += part.end - part.start;
  }
}

void GlibcWalk::add_up() {
  check_arenas();
  for (const GlibcArena& arena : heap_.arenas) {
    heap_.own += arena.own;
    heap_.free_in_bins += arena.unsorted;
    heap_.free_in_bins += arena.small_bins;
    heap_.free_in_bins += arena.large_bins;
    heap_.free_in_fastbins += arena.fastbins;
    heap_.free_in_tcache += arena.in_tcache;
    heap_.free_unlisted += arena.unlisted;
    heap_.top_bytes += arena.top_bytes;
    heap_.system_bytes += arena.system_bytes;
    heap_.largest_free = std::max(heap_.largest_free, arena.largest_free);
    heap_.skipped_bytes += arena.skipped_bytes;
  }
  for (const auto& [size, count] : by_size_) heap_.sizes.push_back({size, count});
  std::sort(heap_.sizes.begin(), heap_.sizes.end(), [](const GlibcSize& a, const GlibcSize& b) {
    return std::pair(a.size * a.chunks, a.size) > std::pair(b.size * b.chunks, b.size);
  });
  heap_.problems = problems_.taken();
}

void GlibcWalk::describe_live() {
  LiveHeap& live = heap_.live;
  live.source =
      "glibc's own heap, chunk by chunk: without tables of live mode there are no call stacks";
  live.has_stacks = false;
  live.has_accounts = false;
  live.has_times = false;
  live.shape = memory_.shape();
  live.pid = memory_.pid();
  live.executable = memory_.executable();
  live.command = memory_.command();
  for (const Module& module : memory_.modules()) {
    live.modules.push_back(module);
    std::string name = module.path.substr(module.path.rfind('/') + 1);
    if (name.starts_with("libc.") || name.starts_with("libc-")) live.allocator = module.path;
  }
  for (const Thread& thread : memory_.threads()) live.threads.push_back({thread.tid, thread.name});
  live.problems = heap_.problems;
  std::sort(live.blocks.begin(), live.blocks.end(),
            [](const LiveBlock& a, const LiveBlock& b) { return a.address < b.address; });
}

}  // namespace

std::optional<GlibcHeap> walk_glibc_heap(const Memory& memory) {
  return GlibcWalk(memory).walk();
}

}  // namespace heapledger::cores
