#include "analyzer/mapped_ranges.h"

#include <iterator>

namespace heapledger {

void MappedRanges::map(const LiveBlock& block) {
  if (block.size == 0 || block.address == 0 || block.address + block.size < block.address) return;
  unmap(block.address, block.size, {block.time, block.thread & kThreadBits, false, false});
  if (ranges_.size() >= kMaxRanges) return;
  ranges_.insert_or_assign(block.address, Range{block.address + block.size, 0});
  sink_.born(*live_.place(block));
}

uint64_t MappedRanges::unmap(uint64_t start, uint64_t bytes, const Death& death) {
  if (bytes == 0 || start == 0 || start + bytes < start) return 0;
  split(start);
  split(start + bytes);
  uint64_t gone = 0;
  auto first = ranges_.lower_bound(start);
  auto last = ranges_.lower_bound(start + bytes);
  for (auto range = first; range != last; ++range) {
    LiveBlock* block = live_.find(range->first);
    if (range->second.mapping != 0) leave_parts(range->second.mapping, *block);
    gone += block->size;
    sink_.died(*block, death);
    live_.erase(block);
  }
  ranges_.erase(first, last);
  return gone;
}

void MappedRanges::split(uint64_t at) {
  auto after = ranges_.upper_bound(at);
  if (after == ranges_.begin()) return;
  auto range = std::prev(after);
  if (range->first == at || range->second.end <= at) return;
  uint64_t& mapping = range->second.mapping;
  if (mapping == 0) {
    mapping = ++mappings_;
    parts_[mapping].insert(range->first);
  }
  parts_[mapping].insert(at);
  LiveBlock* first = live_.find(range->first);
  LiveBlock second = *first;
  first->size = at - range->first;
  second.address = at;
  second.size = range->second.end - at;
  second.thread |= kPartOfBlock;
  ranges_.emplace_hint(after, at, range->second);
  range->second.end = at;
  live_.place(second);
}

void MappedRanges::leave_parts(uint64_t mapping, LiveBlock& block) {
  std::set<uint64_t>& parts = parts_[mapping];
  parts.erase(block.address);
  if (parts.empty()) {
    parts_.erase(mapping);
  } else if ((block.thread & kPartOfBlock) == 0) {
    block.thread |= kPartOfBlock;
    live_.find(*parts.begin())->thread &= ~kPartOfBlock;
  }
}

}  // namespace heapledger
