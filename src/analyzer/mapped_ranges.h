// The blocks of a heap of mappings: address ranges, which may be given back in parts, or mapped
// over. Of a range that is given back in parts the first part stands for the call; the others are
// bytes only, so that calls and bytes remain what the program asked for.
#pragma once

#include <map>
#include <set>
#include <unordered_map>

#include "analyzer/live_blocks.h"
#include "analyzer/pairing.h"

namespace heapledger {

class MappedRanges {
 public:
  explicit MappedRanges(PairingSink& sink) : sink_(sink) {}

  LiveBlocks& live() { return live_; }

  void map(const LiveBlock& block);

  // How much was there.
  uint64_t unmap(uint64_t start, uint64_t bytes, const Death& death);

 private:
  // No program has more: the kernel allows 65,530 unless told otherwise.
  static constexpr size_t kMaxRanges = 1 << 20;

  struct Range {
    uint64_t end;
    uint64_t mapping;  // that it is a part of; 0: it is whole
  };

  // A range that has `at` inside becomes two.
  void split(uint64_t at);

  // The part that stands for the call leaves that to another one, if there is any.
  void leave_parts(uint64_t mapping, LiveBlock& block);

  PairingSink& sink_;
  LiveBlocks live_;
  std::map<uint64_t, Range> ranges_;                        // by start; none overlap
  std::unordered_map<uint64_t, std::set<uint64_t>> parts_;  // by mapping: starts
  uint64_t mappings_ = 0;                                   // that have been split
};

}  // namespace heapledger
