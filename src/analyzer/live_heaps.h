// The live blocks of a process at the moment of a scan, in all the heaps that are looked at.
#pragma once

#include <vector>

#include "analyzer/live_blocks.h"

namespace heapledger {

class LiveHeaps {
 public:
  void add(LiveBlocks& blocks) { heaps_.push_back(&blocks); }

  template <typename Use>
  void for_each(Use&& use) {
    for (LiveBlocks* blocks : heaps_) blocks->for_each(use);
  }

 private:
  std::vector<LiveBlocks*> heaps_;
};

}  // namespace heapledger
