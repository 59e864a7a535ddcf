// The program's own file beside a plain dump: where it was loaded, told by one address.
#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cores/block_headers.h"
#include "cores/elf_symbol.h"
#include "cores/memory.h"
#include "cores/module_file.h"
#include "elf/reader.h"
#include "format/entry.h"

namespace heapledger::cores {
namespace {

uint64_t lowest_address(const ElfImage& image) {
  uint64_t lowest = UINT64_MAX;
  for (const elf::ElfSegment& segment : image.segments) {
    if (segment.type == elf::kSegmentLoad) lowest = std::min(lowest, segment.address);
  }
  return lowest == UINT64_MAX ? 0 : lowest;
}

std::string odd_shape(const Shape& file, const Shape& heap) {
  if (file.word_bytes != heap.word_bytes || file.big_endian != heap.big_endian) {
    return "is for another kind of machine than the headers: word size or byte order differ";
  }
  if (heap.machine != 0 && file.machine != heap.machine) {
    return "is for another machine than the program in the dump";
  }
  return {};
}

}  // namespace

std::string set_program(LiveHeap& heap, const std::string& executable, const FoundHeaders& found) {
  ModuleFiles files;
  const ModuleFile* file = files.find(executable);
  if (file == nullptr) return executable + ": no program in ELF format";
  const Shape& shape = file->image.header.shape;
  if (std::string odd = odd_shape(shape, found.shape); !odd.empty()) return executable + ": " + odd;

  Module module;
  module.path = executable;
  module.file = executable;
  module.build_id = file->image.build_id;
  std::string odd;
  if (found.anchor_address != 0) {
    std::optional<uint64_t> symbol = find_elf_symbol(*file->bytes, shape, found.anchor_symbol);
    if (symbol) {
      module.bias = found.anchor_address - *symbol;
    } else {
      odd = executable + ": has no symbol " + found.anchor_symbol +
            ", so it is taken to be where its file says";
    }
  }
  if (shape.machine == elf::kMachineArm) module.bias &= ~uint64_t{1};
  if (shape.word_bytes == 4) module.bias &= UINT32_MAX;
  module.start = lowest_address(file->image) + module.bias;
  if (shape.word_bytes == 4) module.start &= UINT32_MAX;
  module.end = file->image.end_with(module.bias);
  if (heap.executable.empty()) heap.executable = executable;
  heap.modules.push_back(std::move(module));
  place_sites(heap);
  return odd;
}

void place_sites(LiveHeap& heap) {
  std::vector<uint32_t> by_start;
  for (uint32_t i = 1; i < heap.modules.size(); ++i) by_start.push_back(i);
  auto start_of = [&](uint32_t i) { return heap.modules[i].start; };
  std::sort(by_start.begin(), by_start.end(),
            [&](uint32_t a, uint32_t b) { return start_of(a) < start_of(b); });
  for (LiveSite& site : heap.sites) {
    if (site.pc < format::kFirstCode || site.module != 0) continue;
    auto after = std::upper_bound(by_start.begin(), by_start.end(), site.pc,
                                  [&](uint64_t pc, uint32_t i) { return pc < start_of(i); });
    if (after == by_start.begin()) continue;
    uint32_t module = *std::prev(after);
    if (site.pc <= heap.modules[module].end) site.module = module;
  }
}

}  // namespace heapledger::cores
