// Hostile core dumps: whatever the bytes, opening ends with an Error or with a memory that all
// readers of heaps get through, in time and memory that the file's size bounds.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/byte_source.h"
#include "analyzer/error.h"
#include "cores/block_headers.h"
#include "cores/elf_core.h"
#include "cores/glibc_heap.h"
#include "cores/live_tables.h"
#include "cores/memory.h"
#include "cores/reachability.h"
#include "cores/to_ledger.h"

using namespace heapledger;
using namespace heapledger::cores;

namespace {

void demand(bool truth) {
  if (!truth) abort();
}

// Regions are in order, pieces are inside, and together they are no more than the file holds.
void look_at_everything(const Memory& memory, size_t file_bytes) {
  uint64_t free_from = 0;
  uint64_t sum = 0;
  for (const Region& region : memory.regions()) {
    demand(region.start >= free_from && region.start < region.end);
    free_from = region.end;
    uint64_t next = region.start;
    for_each_piece(memory, region, 4096, [&](uint64_t address, auto bytes) {
      demand(address >= next && !bytes.empty() && bytes.size() <= region.end - address);
      next = address + bytes.size();
      sum += bytes.size();
    });
  }
  bool from_files = false;
  for (const Module& module : memory.modules()) {
    demand(module.start < module.end);
    from_files = from_files || !module.file.empty();
  }
  // A file that is named may be one of this system's, and proved right.
  demand(from_files || sum <= file_bytes);
  for (const Thread& thread : memory.threads()) {
    memory.word(thread.stack_pointer);
    memory.word(thread.thread_pointer);
  }
}

void use_heap(const Memory& memory, const LiveHeap& heap) {
  static const int fd = memfd_create("ledger", MFD_CLOEXEC);
  static const std::string path = "/proc/self/fd/" + std::to_string(fd);
  demand(fd >= 0 && ftruncate(fd, 0) == 0);
  Reachability found = reach(memory, heap);
  demand(found.blocks.size() == heap.blocks.size());
  try {
    write_ledger(heap, path);
  } catch (const Error&) {
    // A heap may be too odd to be a ledger.
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::unique_ptr<Memory> memory;
  try {
    std::string_view bytes(reinterpret_cast<const char*>(data), size);
    memory = open_core_source(in_memory("core", bytes), {}, {});
  } catch (const Error&) {
    return 0;
  }
  look_at_everything(*memory, size);
  if (auto found = find_live_tables(*memory)) use_heap(*memory, read_live_tables(*memory, *found));
  if (auto heap = read_block_headers(*memory)) use_heap(*memory, *heap);
  if (auto heap = walk_glibc_heap(*memory)) use_heap(*memory, heap->live);
  return 0;
}
