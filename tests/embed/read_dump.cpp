// Prints what the reader of header mode finds in a plain dump of memory, a line for each fact.
//
//     read_dump FILE [EXECUTABLE]
//     read_dump --base HEX FILE
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "cores/block_headers.h"
#include "cores/memory.h"

namespace {

using heapledger::cores::FoundHeaders;
using heapledger::cores::LiveHeap;

void print_blocks(const LiveHeap& heap) {
  for (const auto& block : heap.blocks) {
    std::printf("block %" PRIx64 " %" PRIu64 " %" PRIu64 " %" PRIu32, block.address, block.size,
                block.time, heap.threads[block.thread].tid);
    for (uint32_t site = block.site; site != 0; site = heap.sites[site].parent) {
      std::printf(" %" PRIx64, heap.sites[site].pc);
    }
    std::printf("\n");
  }
}

int print_dump(const std::string& path, const std::string& base, const std::string& executable) {
  namespace cores = heapledger::cores;
  uint64_t first = std::strtoull(base.c_str(), nullptr, 16);
  auto found = cores::find_block_headers(*cores::open_raw(path, first, cores::Shape{}));
  if (!found) {
    std::printf("nothing\n");
    return 0;
  }
  std::printf("shape %u %s %" PRIu32 "\n", found->shape.word_bytes,
              found->shape.big_endian ? "big" : "little", found->shape.machine);
  std::printf("base %" PRIx64 "\nanchor %" PRIx64 "\ntag %s\n", found->base, found->anchor_address,
              found->tag.c_str());
  auto memory = cores::open_raw(path, base.empty() ? found->base : first, found->shape);
  std::optional<LiveHeap> heap = cores::read_block_headers(*memory);
  if (!executable.empty()) {
    std::string odd = cores::set_program(*heap, executable, *found);
    if (!odd.empty()) std::printf("odd %s\n", odd.c_str());
    const cores::Module& module = heap->modules.back();
    std::printf("bias %" PRIx64 "\n", module.bias);
    size_t placed = 0;
    for (const auto& site : heap->sites) placed += site.module != 0 ? 1 : 0;
    std::printf("placed %zu of %zu\n", placed, heap->sites.size());
  }
  std::printf("times %d stacks %d now %" PRIu64 "\n", heap->has_times, heap->has_stacks,
              heap->now_ns);
  print_blocks(*heap);
  for (const std::string& problem : heap->problems) std::printf("problem %s\n", problem.c_str());
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> words(arguments + 1, arguments + count);
  std::string base;
  if (words.size() == 3 && words[0] == "--base") {
    base = words[1];
    words.erase(words.begin(), words.begin() + 2);
  }
  if (words.empty()) return 2;
  try {
    return print_dump(words[0], base, words.size() > 1 ? words[1] : "");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "read_dump: %s\n", error.what());
    return 3;
  }
}
