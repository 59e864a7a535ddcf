#include "analyzer/index/lives.h"

#include <numeric>

namespace heapledger {

bool Life::join(const Life& other) {
  const uint64_t all_calls = uint64_t{calls} + other.calls;
  const uint64_t all_frees = uint64_t{frees} + other.frees;
  const uint64_t all_temporary = uint64_t{temporary_calls} + other.temporary_calls;
  if (std::max({all_calls, all_frees, all_temporary}) > UINT32_MAX) return false;
  calls = static_cast<uint32_t>(all_calls);
  frees = static_cast<uint32_t>(all_frees);
  temporary_calls = static_cast<uint32_t>(all_temporary);
  bytes += other.bytes;
  smallest = std::min(smallest, other.smallest);
  largest = std::max(largest, other.largest);
  return true;
}

bool LifeResizes::join(const LifeResizes& other) {
  add(other);
  return true;
}

bool LifeSpread::join(const LifeSpread& other) {
  calls_variance += other.calls_variance;
  bytes_variance += other.bytes_variance;
  time_ns += other.time_ns;
  return true;
}

Timeline Lives::timeline(const LifeChoice& choice) const {
  Timeline line;
  line.edges = edges;
  line.from_index = true;
  for (auto* column : {&line.live_bytes, &line.live_blocks, &line.calls, &line.bytes,
                       &line.ended_blocks, &line.ended_bytes}) {
    column->assign(edges.count, 0);
  }
  // At first how much more is live at an edge than at the one before.
  lives.for_each([&](const Life& life) {
    if (!choice.has(life)) return;
    line.calls[life.birth] += life.calls;
    line.bytes[life.birth] += life.bytes;
    line.live_blocks[life.birth] += life.calls;
    line.live_bytes[life.birth] += life.bytes;
    if (!life.is_left()) {
      line.ended_blocks[life.death] += life.calls;
      line.ended_bytes[life.death] += life.bytes;
    } else if (life.last() + 1u == edges.count) {
      return;
    }
    line.live_blocks[life.last()] -= life.calls;
    line.live_bytes[life.last()] -= life.bytes;
  });
  std::partial_sum(line.live_bytes.begin(), line.live_bytes.end(), line.live_bytes.begin());
  std::partial_sum(line.live_blocks.begin(), line.live_blocks.end(), line.live_blocks.begin());
  return line;
}

}  // namespace heapledger
