#include "cores/reachability_roots.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "cores/reachability_heaps.h"
#include "cores/reachability_images.h"
#include "cores/reachability_stacks.h"

namespace heapledger::cores {
namespace {

constexpr uint64_t kRootPage = 4096;
constexpr uint64_t kThreadStructure = 4096;  // as large as glibc's or larger
constexpr uint64_t kMostModulesOfThread = 4096;

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

bool is_ours(const Module& module) {
  return base_name(module.path).starts_with("libheapledger");
}

bool is_c_library(const Module& module) {
  std::string_view name = base_name(module.path);
  return name.starts_with("libc.so") || name.starts_with("libc-");
}

// Devices are not looked into: to read them may do things. Nor are ledgers, which are ours.
bool is_device(const Region& region) {
  std::string_view path = region.path;
  return (path.starts_with("/dev/") && !path.starts_with("/dev/shm/") &&
          !path.starts_with("/dev/zero")) ||
         path.starts_with("[v") || path.ends_with(".ledger");
}

uint64_t to_page(uint64_t address) {
  return address > UINT64_MAX - kRootPage ? address
                                          : (address + kRootPage - 1) / kRootPage * kRootPage;
}

// Thread-local storage of the modules, on whichever side of the thread pointer it is, and glibc's
// structure of the thread.
void add_thread_storage(const Memory& memory, const std::vector<Image>& images,
                        std::vector<Stretch>& to) {
  uint64_t bytes = kThreadStructure;
  for (const Image& image : images) bytes += image.tls_bytes + 64;
  for (const Thread& thread : memory.threads()) {
    uint64_t pointer = thread.thread_pointer;
    const Region* region = region_of(memory, pointer);
    if (region == nullptr || !region->writable) continue;
    to.push_back({pointer - std::min(bytes, pointer - region->start),
                  pointer + std::min(bytes, region->end - pointer)});
  }
}

// The list of a thread's storage of modules that were loaded later. The thread has the address of
// its second element, so that it would be taken for one inside of a block. glibc keeps it with the
// stack when a thread ends.
void add_storage_list(const Memory& memory, uint64_t thread_pointer, Roots& roots) {
  uint64_t word = memory.shape().word_bytes;
  uint32_t machine = memory.shape().machine;
  uint64_t offset = machine == 62 || machine == 3 ? word : 0;
  if (thread_pointer == 0) return;
  auto list = memory.word(thread_pointer + offset);
  if (!list || *list < 2 * word || *list > UINT64_MAX / 2) return;
  uint64_t start = *list - 2 * word;
  auto count = memory.word(start);
  if (!count || *count > kMostModulesOfThread) return;
  roots.words.push_back(start);
  roots.memory.push_back({start, *list + (*count + 1) * 2 * word});
}

// Stacks that the program made of blocks.
void add_stacks_in_blocks(const Memory& memory, const BlocksByAddress& blocks, Roots& roots) {
  for (const Thread& thread : memory.threads()) {
    uint32_t place = blocks.find(thread.stack_pointer);
    if (place == BlocksByAddress::kNone) continue;
    uint64_t below = std::min(red_zone(memory.shape()), thread.stack_pointer - blocks.start(place));
    roots.memory.push_back({thread.stack_pointer - below, blocks.end(place)});
  }
}

std::vector<Stretch> writable_memory(const Memory& memory) {
  std::vector<Stretch> all;
  for (const Region& region : memory.regions()) {
    if (region.writable && !is_device(region)) all.push_back({region.start, region.end});
  }
  put_in_order(all);
  return all;
}

void add_allocator_data(const Memory& memory, const std::vector<Image>& images, Roots& roots) {
  const std::vector<Module>& modules = memory.modules();
  bool shared = std::any_of(modules.begin(), modules.end(), is_c_library);
  for (size_t i = 0; i < modules.size(); ++i) {
    // In a static program it is the program itself.
    if (!shared || is_c_library(modules[i])) {
      roots.allocator.push_back({images[i].start, to_page(images[i].end)});
    }
  }
  put_in_order(roots.allocator);
}

}  // namespace

Roots roots_of(const Memory& memory, const LiveHeap& heap, const BlocksByAddress& blocks) {
  std::vector<Image> images = images_of(memory);
  std::vector<Stretch> kept;
  std::vector<Stretch> taken;
  kept.reserve(images.size());
  for (const Image& image : images) kept.push_back({image.start, image.end});
  add_thread_storage(memory, images, kept);
  put_in_order(kept);

  bool all_known = heap.sample_bytes == 0 && heap.sample_calls == 0;
  std::vector<Stretch> heaps = heaps_of(memory, blocks, kept);
  if (all_known) taken = heaps;
  UnusedStacks unused = unused_stacks(memory, heaps);
  taken.insert(taken.end(), unused.memory.begin(), unused.memory.end());
  for (const OwnRange& own : heap.own_ranges) taken.push_back({own.start, own.end});
  for (size_t i = 0; i < images.size(); ++i) {
    if (is_ours(memory.modules()[i])) taken.push_back({images[i].start, to_page(images[i].end)});
  }
  put_in_order(taken);

  Roots roots;
  roots.memory = without(writable_memory(memory), taken);
  for (const Thread& thread : memory.threads()) {
    add_storage_list(memory, thread.thread_pointer, roots);
  }
  for (uint64_t ended : unused.ended_threads) add_storage_list(memory, ended, roots);
  add_stacks_in_blocks(memory, blocks, roots);
  put_in_order(roots.memory);
  for (const Thread& thread : memory.threads()) {
    roots.words.insert(roots.words.end(), thread.registers.begin(), thread.registers.end());
  }
  add_allocator_data(memory, images, roots);
  return roots;
}

}  // namespace heapledger::cores
