#include "cores/core_segments.h"

#include <algorithm>

namespace heapledger::cores {
namespace {

CoreSegment loaded_segment(const elf::ElfSegment& segment, uint64_t file_bytes) {
  CoreSegment loaded;
  loaded.start = segment.address;
  loaded.end = segment.address + std::min(segment.memory_bytes, UINT64_MAX - segment.address);
  loaded.offset = segment.offset;
  loaded.dumped_bytes = std::min(segment.file_bytes, loaded.end - loaded.start);
  uint64_t there = segment.offset < file_bytes ? file_bytes - segment.offset : 0;
  loaded.stored_bytes = std::min(loaded.dumped_bytes, there);
  loaded.flags = segment.flags;
  return loaded;
}

// A byte of the file belongs to the first segment that says so. True: some had to be cut.
uint64_t share_file(std::vector<CoreSegment>& segments) {
  std::vector<CoreSegment*> by_offset;
  by_offset.reserve(segments.size());
  for (CoreSegment& segment : segments) {
    if (segment.stored_bytes > 0) by_offset.push_back(&segment);
  }
  std::stable_sort(by_offset.begin(), by_offset.end(),
                   [](const auto* a, const auto* b) { return a->offset < b->offset; });
  uint64_t cut = 0;
  for (size_t i = 0; i + 1 < by_offset.size(); ++i) {
    CoreSegment& segment = *by_offset[i];
    uint64_t room = by_offset[i + 1]->offset - segment.offset;
    if (room >= segment.stored_bytes) continue;
    segment.stored_bytes = room;
    ++cut;
  }
  return cut;
}

// An address belongs to the segment that begins first.
uint64_t share_addresses(std::vector<CoreSegment>& segments) {
  std::stable_sort(segments.begin(), segments.end(),
                   [](const auto& a, const auto& b) { return a.start < b.start; });
  uint64_t free_from = 0;
  return std::erase_if(segments, [&](const CoreSegment& segment) {
    if (segment.start < free_from) return true;
    free_from = segment.end;
    return false;
  });
}

}  // namespace

void CoreSegments::add_left_out(const std::vector<Region>& files) {
  std::vector<CoreSegment> added;
  auto next = all.begin();
  for (const Region& part : files) {
    uint64_t at = part.start;
    while (at < part.end) {
      while (next != all.end() && next->end <= at) ++next;
      CoreSegment gap;
      gap.start = at;
      gap.end = next == all.end() ? part.end : std::min(part.end, next->start);
      gap.flags = elf::kSegmentReadable | elf::kSegmentExecutable;
      if (gap.start < gap.end) added.push_back(gap);
      at = next == all.end() ? part.end : std::max(at, next->end);
    }
  }
  all.insert(all.end(), added.begin(), added.end());
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.start < b.start; });
}

const CoreSegment* CoreSegments::find(uint64_t address) const {
  auto behind =
      std::upper_bound(all.begin(), all.end(), address,
                       [](uint64_t at, const auto& segment) { return at < segment.start; });
  if (behind == all.begin()) return nullptr;
  const CoreSegment& segment = *(behind - 1);
  return address < segment.end ? &segment : nullptr;
}

CoreSegments arrange_segments(const std::vector<elf::ElfSegment>& segments, uint64_t file_bytes) {
  CoreSegments arranged;
  for (const elf::ElfSegment& segment : segments) {
    if (segment.type != elf::kSegmentLoad || segment.memory_bytes == 0) continue;
    CoreSegment loaded = loaded_segment(segment, file_bytes);
    if (loaded.start < loaded.end) arranged.all.push_back(loaded);
  }
  arranged.overlaps = share_addresses(arranged.all) + share_file(arranged.all);
  for (const CoreSegment& segment : arranged.all) {
    uint64_t missing = segment.dumped_bytes - segment.stored_bytes;
    arranged.dumped_bytes += std::min(segment.dumped_bytes, UINT64_MAX - arranged.dumped_bytes);
    arranged.missing_bytes += std::min(missing, UINT64_MAX - arranged.missing_bytes);
  }
  return arranged;
}

}  // namespace heapledger::cores
