// Single blocks that are live at a moment: where they are, how large, how old, who allocated them.
// Only the largest are kept, so that the answer takes no memory in proportion to what is live.
#pragma once

#include <cstdint>
#include <vector>

namespace heapledger {

struct BlockFacts {
  uint64_t address = 0;
  uint64_t size = 0;
  uint64_t birth_ns = 0;  // since the start of the earliest ledger
  uint64_t age_ns = 0;    // at the moment
  uint32_t ledger = 0;
  uint32_t thread = 0;  // that allocated it: a place in LedgerFacts::threads
  uint32_t site = 0;
};

struct BlockList {
  std::vector<BlockFacts> blocks;  // the largest first, among equals the oldest
  uint64_t live_blocks = 0;        // all that were selected
  uint64_t live_bytes = 0;
  uint64_t time_ns = 0;  // the moment
};

}  // namespace heapledger
