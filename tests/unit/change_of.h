// Changes of a live heap, written as one row.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "cores/live_changes.h"

namespace heapledger {

struct WrittenChange {
  uint64_t live_bytes;
  uint64_t live_blocks;
  int64_t growth;
  int64_t growth_since_first;
  uint64_t calls;
  uint64_t bytes;
  std::vector<uint64_t> history;
};

inline cores::Change change_of(WrittenChange written) {
  cores::Change change;
  change.live_bytes = written.live_bytes;
  change.live_blocks = written.live_blocks;
  change.growth = written.growth;
  change.growth_since_first = written.growth_since_first;
  change.calls = written.calls;
  change.bytes = written.bytes;
  change.history = std::move(written.history);
  return change;
}

}  // namespace heapledger
