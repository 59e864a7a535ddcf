#include "cores/core_program.h"

#include <algorithm>

#include "cores/module_file.h"

namespace heapledger::cores {
namespace {

constexpr uint64_t kProgramPage = 4096;

uint64_t page_start(uint64_t address) {
  return address & ~(kProgramPage - 1);
}

void name_segment(const elf::ElfSegment& segment, uint64_t bias, const std::string& path,
                  std::vector<Region>& regions) {
  uint64_t start = page_start(bias + segment.address);
  uint64_t end = bias + segment.address + segment.file_bytes;
  if (end < start) return;
  auto region = std::partition_point(regions.begin(), regions.end(),
                                     [&](const Region& other) { return other.start < start; });
  for (; region != regions.end() && region->start < end; ++region) {
    if (!region->path.empty()) continue;
    region->path = path;
    region->file_offset = page_start(segment.offset) + (region->start - start);
  }
}

}  // namespace

void name_program_regions(const std::string& executable, uint64_t entry, const elf::ReadAt& memory,
                          std::vector<Region>& regions) {
  ModuleFiles files;
  const ModuleFile* file = files.find(executable);
  if (file == nullptr || entry == 0) return;
  uint64_t bias = entry - file->image.header.entry;
  for (const elf::ElfSegment& segment : file->image.segments) {
    if (segment.type != elf::kSegmentLoad) continue;
    // The header is at the beginning of the first.
    auto image = image_in_memory(memory, page_start(bias + segment.address - segment.offset));
    if (!image || !image->same_build(file->image)) return;
    break;
  }
  for (const elf::ElfSegment& segment : file->image.segments) {
    if (segment.type == elf::kSegmentLoad) name_segment(segment, bias, executable, regions);
  }
}

}  // namespace heapledger::cores
