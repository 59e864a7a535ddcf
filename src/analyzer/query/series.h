// Something that changes over time, at a resolution that adapts: a fixed number of buckets, which
// grow twice as wide whenever the time does not fit any more. Lowest and highest of every bucket
// are exact at every resolution, so that no peak is ever lost in drawing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heapledger {

struct SeriesBucket {
  uint64_t min_bytes = 0;  // live
  uint64_t max_bytes = 0;
  uint64_t end_bytes = 0;  // at its end
  uint64_t min_blocks = 0;
  uint64_t max_blocks = 0;
  uint64_t end_blocks = 0;
  uint64_t calls = 0;  // in it: for rates, divide by the width
  uint64_t bytes = 0;
  uint64_t min_rss = 0;  // by the samples so far; 0 before the first
  uint64_t max_rss = 0;
  uint64_t end_rss = 0;
};

struct Series {
  uint64_t width_ns = 0;  // of every bucket; the first begins at 0
  std::vector<SeriesBucket> buckets;

  // The same in `count` buckets or fewer of equal width.
  Series with_at_most(size_t count) const;
};

}  // namespace heapledger
