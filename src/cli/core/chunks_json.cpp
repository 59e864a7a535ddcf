#include <string>

#include "cli/core/chunks.h"
#include "text/json_text.h"
#include "text/text.h"

namespace heapledger::cli::core {
namespace {

using cores::ChunkSum;
using cores::GlibcArena;
using cores::GlibcHeap;

Json sum_json(const ChunkSum& sum) {
  return {{"chunks", sum.chunks}, {"bytes", sum.bytes}};
}

template <typename Number>
Json known_json(const std::optional<Number>& number) {
  return number ? Json(*number) : Json(nullptr);
}

Json program_json(const cores::LiveHeap& live) {
  Json command = Json::array();
  for (const std::string& word : live.command) command.push_back(as_utf8(word));
  return {{"executable", as_utf8(live.executable)},
          {"command", command},
          {"pid", live.pid},
          {"allocator", as_utf8(live.allocator)},
          {"word_bytes", live.shape.word_bytes},
          {"big_endian", live.shape.big_endian}};
}

Json arena_json(const GlibcArena& arena) {
  Json parts = Json::array();
  for (const cores::GlibcPart& part : arena.parts) {
    parts.push_back({{"start", part.start}, {"end", part.end}});
  }
  return {{"address", arena.address},
          {"main", arena.is_main},
          {"threads", known_json(arena.attached_threads)},
          {"system_bytes", arena.system_bytes},
          {"most_system_bytes", arena.most_system_bytes},
          {"top", {{"address", arena.top}, {"bytes", arena.top_bytes}}},
          {"heaps", parts},
          {"in_use", sum_json(arena.in_use)},
          {"own", sum_json(arena.own)},
          {"free",
           {{"fastbins", sum_json(arena.fastbins)},
            {"tcache", sum_json(arena.in_tcache)},
            {"unsorted", sum_json(arena.unsorted)},
            {"small", sum_json(arena.small_bins)},
            {"large", sum_json(arena.large_bins)},
            {"unlisted", sum_json(arena.unlisted)}}},
          {"largest_free", arena.largest_free},
          {"skipped_bytes", arena.skipped_bytes}};
}

Json chunk_totals_json(const GlibcHeap& heap) {
  return {{"in_use",
           {{"chunks", heap.in_use.chunks},
            {"bytes", heap.in_use.bytes},
            {"usable_bytes", heap.usable_bytes}}},
          {"mapped", sum_json(heap.mapped)},
          {"mapped_counted",
           {{"chunks", known_json(heap.mapped_chunks_counted)},
            {"bytes", known_json(heap.mapped_bytes_counted)}}},
          {"own", sum_json(heap.own)},
          {"tcaches", heap.tcaches},
          {"free",
           {{"bins", sum_json(heap.free_in_bins)},
            {"fastbins", sum_json(heap.free_in_fastbins)},
            {"tcache", sum_json(heap.free_in_tcache)},
            {"unlisted", sum_json(heap.free_unlisted)}}},
          {"top_bytes", heap.top_bytes},
          {"system_bytes", heap.system_bytes},
          {"free_inside_bytes", heap.free_inside().bytes},
          {"largest_free", heap.largest_free},
          {"skipped_bytes", heap.skipped_bytes}};
}

Json classes_json(const GlibcHeap& heap) {
  Json list = Json::array();
  for (size_t power = 0; power < heap.by_power.size(); ++power) {
    const ChunkSum& sum = heap.by_power[power];
    if (sum.chunks == 0) continue;
    uint64_t from = power == 0 ? 0 : uint64_t{1} << (power - 1);
    list.push_back({{"from", from}, {"chunks", sum.chunks}, {"usable_bytes", sum.bytes}});
  }
  return list;
}

void put_json(std::FILE* to, const char* name, const Json& value, const char* end = ",\n") {
  std::string text = std::string("\"") + name + "\": " + json_line(value) + end;
  std::fwrite(text.data(), 1, text.size(), to);
}

// A line each: there may be millions.
template <typename Elements, typename Element>
void put_json_lines(std::FILE* to, const char* name, const Elements& elements, Element&& element,
                    const char* end) {
  std::string text = std::string("\"") + name + "\": [";
  bool first = true;
  for (const auto& one : elements) {
    text += (first ? "\n" : ",\n") + json_line(element(one));
    first = false;
    std::fwrite(text.data(), 1, text.size(), to);
    text.clear();
  }
  text += std::string("]") + end;
  std::fwrite(text.data(), 1, text.size(), to);
}

}  // namespace

void write_chunks_json(std::FILE* to, const GlibcHeap& heap, bool blocks) {
  std::fputs("{\n\"schema\": \"heapledger.chunks/1\",\n", to);
  put_json(to, "source", as_utf8(heap.live.source));
  put_json(to, "stacks", false);
  put_json(to, "program", program_json(heap.live));
  put_json(to, "totals", chunk_totals_json(heap));
  put_json_lines(to, "arenas", heap.arenas, arena_json, ",\n");
  put_json(to, "classes", classes_json(heap));
  put_json_lines(
      to, "sizes", heap.sizes,
      [](const cores::GlibcSize& size) {
        return Json{{"usable_bytes", size.size}, {"chunks", size.chunks}};
      },
      ",\n");
  if (blocks) {
    put_json_lines(
        to, "blocks", heap.live.blocks,
        [](const cores::LiveBlock& block) {
          return Json{{"address", block.address}, {"usable_bytes", block.size}};
        },
        ",\n");
  }
  Json problems = Json::array();
  for (const std::string& problem : heap.problems) problems.push_back(as_utf8(problem));
  put_json(to, "problems", problems, "\n}\n");
}

}  // namespace heapledger::cli::core
