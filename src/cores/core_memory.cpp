#include "cores/core_memory.h"

#include <algorithm>

namespace heapledger::cores {

size_t CoreMemory::read(uint64_t address, std::span<unsigned char> out) const {
  size_t done = 0;
  while (done < out.size() && done <= UINT64_MAX - address) {
    size_t got = read_piece(address + done, out.subspan(done));
    if (got == 0) break;
    done += got;
  }
  return done;
}

size_t CoreMemory::read_piece(uint64_t address, std::span<unsigned char> out) const {
  const CoreSegment* segment = segments_.find(address);
  if (segment == nullptr) return 0;
  uint64_t inside = address - segment->start;
  if (inside < segment->stored_bytes) {
    auto most = static_cast<size_t>(std::min<uint64_t>(out.size(), segment->stored_bytes - inside));
    return file_.read(segment->offset + inside, out.first(most));
  }
  // What was dumped and then lost is not what the file has: the program may have changed it.
  if (inside < segment->dumped_bytes) return 0;
  const Backing* backing = backing_at(address);
  if (backing == nullptr) return 0;
  auto most = static_cast<size_t>(
      std::min<uint64_t>(out.size(), std::min(backing->end, segment->end) - address));
  return backing->file->read(backing->offset + (address - backing->start), out.first(most));
}

const Backing* CoreMemory::backing_at(uint64_t address) const {
  auto behind =
      std::upper_bound(backings_.begin(), backings_.end(), address,
                       [](uint64_t at, const Backing& backing) { return at < backing.start; });
  if (behind == backings_.begin()) return nullptr;
  const Backing& backing = *(behind - 1);
  return address < backing.end ? &backing : nullptr;
}

uint64_t CoreMemory::next_data(uint64_t address) const {
  auto at =
      std::partition_point(segments_.all.begin(), segments_.all.end(),
                           [&](const CoreSegment& segment) { return segment.end <= address; });
  for (; at != segments_.all.end(); ++at) {
    const CoreSegment& segment = *at;
    uint64_t inside = address > segment.start ? address - segment.start : 0;
    if (inside < segment.stored_bytes) {
      uint64_t offset = file_.next_data(segment.offset + inside);
      if (offset < segment.offset + segment.stored_bytes) {
        return segment.start + std::max(inside, offset - segment.offset);
      }
    }
    inside = std::max(inside, segment.dumped_bytes);
    if (inside < segment.end - segment.start && backing_at(segment.start + inside) != nullptr) {
      return segment.start + inside;
    }
  }
  return UINT64_MAX;
}

}  // namespace heapledger::cores
