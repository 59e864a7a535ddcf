// How far apart checkpoints are.
#pragma once

#include <cstdint>

namespace heapledger::seal {

// At least so many entries between two, and so many for every block that is live.
struct CheckpointSpacing {
  uint64_t entries = 4'000'000;
  uint64_t entries_per_block = 32;
};

}  // namespace heapledger::seal
