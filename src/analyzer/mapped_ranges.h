// The blocks of a heap of mappings: address ranges, which may be given back in parts, or mapped
// over. Of a range that is given back in parts the first part stands for the call; the others are
// bytes only, so that calls and bytes remain what the program asked for.
//
// The sink has born(LiveBlock&) and died(const LiveBlock&, const Death&).
#pragma once

#include <iterator>
#include <map>

#include "analyzer/live_blocks.h"
#include "analyzer/pairing.h"

namespace heapledger {

template <typename Sink>
class MappedRanges {
 public:
  explicit MappedRanges(Sink& sink) : sink_(sink) {}

  LiveBlocks& live() { return live_; }

  void map(const LiveBlock& block) {
    if (block.size == 0 || block.address == 0 || block.address + block.size < block.address) return;
    unmap(block.address, block.size, {block.time, block.thread & kThreadBits, false, false});
    if (ends_.size() >= kMaxRanges) return;
    ends_.insert_or_assign(block.address, block.address + block.size);
    sink_.born(*live_.place(block));
  }

  // How much was there.
  uint64_t unmap(uint64_t start, uint64_t bytes, const Death& death) {
    if (bytes == 0 || start == 0 || start + bytes < start) return 0;
    split(start);
    split(start + bytes);
    uint64_t gone = 0;
    auto first = ends_.lower_bound(start);
    auto last = ends_.lower_bound(start + bytes);
    for (auto range = first; range != last; ++range) {
      LiveBlock* block = live_.find(range->first);
      gone += block->size;
      sink_.died(*block, death);
      live_.erase(block);
    }
    ends_.erase(first, last);
    return gone;
  }

 private:
  // No program has more: the kernel allows 65,530 unless told otherwise.
  static constexpr size_t kMaxRanges = 1 << 20;

  // A range that has `at` inside becomes two.
  void split(uint64_t at) {
    auto after = ends_.upper_bound(at);
    if (after == ends_.begin()) return;
    auto range = std::prev(after);
    if (range->first == at || range->second <= at) return;
    LiveBlock* first = live_.find(range->first);
    LiveBlock second = *first;
    first->size = at - range->first;
    second.address = at;
    second.size = range->second - at;
    second.thread |= kPartOfBlock;
    ends_.emplace_hint(after, at, range->second);
    range->second = at;
    live_.place(second);
  }

  Sink& sink_;
  LiveBlocks live_;
  std::map<uint64_t, uint64_t> ends_;  // by start; none overlap
};

}  // namespace heapledger
