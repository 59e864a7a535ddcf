// What a question's filter selects, over time: columns by edge and by bucket of the index. What is
// live at an edge is what ask() says of that moment, and what happened in a bucket what it says of
// the range between two edges.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/query/edges.h"

namespace heapledger {

struct Timeline {
  Edges edges;
  // At each edge. The last one is the end: what processes that ended in its bucket have left is
  // still there, while what others left went with them.
  std::vector<uint64_t> live_bytes;
  std::vector<uint64_t> live_blocks;
  // In the bucket that each edge ends; none of it where nearly every site of many is busy all the
  // time, of which the index has only what is live. Of blocks allocated in it …
  std::vector<uint64_t> calls;
  std::vector<uint64_t> bytes;
  // … and of those that ended in it, whenever they were allocated.
  std::vector<uint64_t> ended_blocks;
  std::vector<uint64_t> ended_bytes;
  bool from_index = false;  // else from a pass
  bool operator==(const Timeline&) const = default;
};

}  // namespace heapledger
