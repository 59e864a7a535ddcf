#include "cli/core/chunks.h"

#include <algorithm>
#include <string>
#include <vector>

#include "text/text.h"

namespace heapledger::cli::core {
namespace {

using cores::ChunkSum;
using cores::GlibcArena;
using cores::GlibcHeap;

// Where there is none, nothing is said.
void put_sum(Buffer& to, const char* name, const ChunkSum& sum, uint64_t whole,
             const std::string& note = "") {
  if (sum.chunks == 0) return;
  put(to, "  {:<22} {:>10} {:>7}  {}{}\n", name, human_bytes(sum.bytes), percent(sum.bytes, whole),
      counted(sum.chunks, "chunk"), note.empty() ? "" : ", " + note);
}

void put_chunk_totals(Buffer& to, const GlibcHeap& heap, const Page& page) {
  uint64_t whole = heap.system_bytes + heap.mapped.bytes;
  put_title(to, page,
            fmt::format("{} from the system: {} in {}, {} in {}", human_bytes(whole),
                        human_bytes(heap.system_bytes), counted(heap.arenas.size(), "arena"),
                        human_bytes(heap.mapped.bytes),
                        counted(heap.mapped.chunks, "chunk") + " mapped alone"));
  std::string room = "room for " + human_bytes(heap.usable_bytes);
  put_sum(to, "in use", heap.in_use, whole, room);
  put_sum(to, "of the allocator", heap.own, whole, "the caches of threads");
  put_sum(to, "free in bins", heap.free_in_bins, whole);
  put_sum(to, "free in tcache", heap.free_in_tcache, whole);
  put_sum(to, "free in fastbins", heap.free_in_fastbins, whole);
  put_sum(to, "free in no list", heap.free_unlisted, whole);
  put(to, "  {:<22} {:>10} {:>7}  not yet cut into chunks\n", "top", human_bytes(heap.top_bytes),
      percent(heap.top_bytes, whole));
  if (heap.skipped_bytes > 0) {
    put(to, "  {:<22} {:>10} {:>7}  see the problems\n", "not understood",
        human_bytes(heap.skipped_bytes), percent(heap.skipped_bytes, whole));
  }
  ChunkSum inside = heap.free_inside();
  if (heap.system_bytes == 0 || inside.chunks == 0) return;
  put_wrapped(to, page,
              fmt::format("fragmentation: {} of the arenas' {} are free between chunks in use "
                          "({}), the largest free chunk has {}",
                          human_bytes(inside.bytes), human_bytes(heap.system_bytes),
                          percent(inside.bytes, heap.system_bytes), human_bytes(heap.largest_free)),
              2);
}

void put_arenas(Buffer& to, const GlibcHeap& heap, const Page& page) {
  constexpr size_t kMostArenas = 50;
  put_title(to, page, counted(heap.arenas.size(), "arena"));
  put(to, "{}\n",
      page.style.dim(fmt::format("  {:<14}  {:<6} {:>7} {:>5} {:>10} {:>10} {:>10} {:>10}",
                                 "address", "", "threads", "heaps", "system", "in use", "free",
                                 "top")));
  for (size_t i = 0; i < std::min(kMostArenas, heap.arenas.size()); ++i) {
    const GlibcArena& arena = heap.arenas[i];
    ChunkSum free = arena.fastbins;
    for (const ChunkSum& sum :
         {arena.unsorted, arena.small_bins, arena.large_bins, arena.in_tcache, arena.unlisted}) {
      free += sum;
    }
    std::string threads =
        arena.attached_threads ? std::to_string(*arena.attached_threads) : std::string("?");
    put(to, "  {:#014x}  {:<6} {:>7} {:>5} {:>10} {:>10} {:>10} {:>10}\n", arena.address,
        arena.is_main ? "main" : "", threads, arena.parts.size(), human_bytes(arena.system_bytes),
        human_bytes(arena.in_use.bytes + arena.own.bytes), human_bytes(free.bytes),
        human_bytes(arena.top_bytes));
  }
  if (heap.arenas.size() > kMostArenas) {
    put(to, "  and {} more\n", heap.arenas.size() - kMostArenas);
  }
}

void put_size(Buffer& to, const std::string& name, uint64_t chunks, uint64_t bytes,
              const GlibcHeap& heap) {
  put(to, "  {:>24} {:>13} {:>7} {:>10} {:>7}\n", name, with_commas(chunks),
      percent(chunks, heap.in_use.chunks), human_bytes(bytes), percent(bytes, heap.usable_bytes));
}

void put_chunk_classes(Buffer& to, const GlibcHeap& heap, const Page& page) {
  put_title(to, page, "blocks in use, by the room that they have");
  put(to, "{}\n",
      page.style.dim(
          fmt::format("  {:>24} {:>13} {:>7} {:>10} {:>7}", "bytes", "blocks", "", "bytes", "")));
  for (size_t power = 1; power < heap.by_power.size(); ++power) {
    const ChunkSum& sum = heap.by_power[power];
    if (sum.chunks == 0) continue;
    uint64_t from = uint64_t{1} << (power - 1);
    uint64_t to_size = from + (from - 1);
    put_size(to, human_bytes(from) + " to " + human_bytes(to_size), sum.chunks, sum.bytes, heap);
  }
}

void put_exact_sizes(Buffer& to, const GlibcHeap& heap, const Page& page, size_t rows) {
  size_t shown = std::min(rows, heap.sizes.size());
  std::string title =
      shown == heap.sizes.size()
          ? "exact sizes, by bytes"
          : fmt::format("top {} of {}, by bytes", shown, counted(heap.sizes.size(), "exact size"));
  put_title(to, page, title);
  for (size_t i = 0; i < shown; ++i) {
    const cores::GlibcSize& size = heap.sizes[i];
    put_size(to, with_commas(size.size), size.chunks, size.size * size.chunks, heap);
  }
}

std::string why_no_stacks(const GlibcHeap& heap) {
  std::string chunks =
      " These are the chunks of glibc's own heap: their sizes are known, the places that asked for "
      "them are not.";
  if (cores::has_our_library(heap.live)) {
    return "Heapledger's library was in this program, but there are no tables of live mode in the "
           "dump: it was recorded in another mode, or with --tables file, which keeps them in the "
           "ledger, or the dump is cut." +
           chunks;
  }
  return "Heapledger's library was not in this program." + chunks +
         " To have call stacks the next time, start the program with: heapledger run --mode live "
         "-- PROGRAM …";
}

}  // namespace

std::string chunks_text(const GlibcHeap& heap, const Page& page, size_t rows) {
  Buffer to;
  std::string program = escaped(short_path(heap.live.executable));
  put_wrapped(
      to, page,
      fmt::format("{}: {} in use, with room for {}", program.empty() ? "a program" : program,
                  counted(heap.in_use.chunks, "block"), human_bytes(heap.usable_bytes)),
      0);
  put_wrapped(to, page, why_no_stacks(heap), 0);
  put_chunk_totals(to, heap, page);
  put_arenas(to, heap, page);
  if (heap.in_use.chunks > 0) {
    put_chunk_classes(to, heap, page);
    put_exact_sizes(to, heap, page, rows);
  }
  return page.finished(to);
}

}  // namespace heapledger::cli::core
