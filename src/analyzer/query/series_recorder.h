// Makes a Series while ledgers are scanned. Time only goes forward: what comes late is counted in
// the bucket that is being filled.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analyzer/query/series.h"

namespace heapledger {

class SeriesRecorder {
 public:
  static constexpr size_t kBuckets = 1024;
  static constexpr uint64_t kFirstWidthNs = 1024;

  // The first common time that is beyond the bucket being filled.
  uint64_t bucket_end() const { return end_; }

  // Moves on to the bucket of a time that is not before bucket_end().
  void advance(uint64_t now_ns);

  void born(uint64_t bytes, uint64_t calls) {
    now_.calls += calls;
    now_.bytes += bytes;
    now_.end_bytes += bytes;
    now_.end_blocks += calls;
    now_.max_bytes = std::max(now_.max_bytes, now_.end_bytes);
    now_.max_blocks = std::max(now_.max_blocks, now_.end_blocks);
  }

  void died(uint64_t bytes, uint64_t calls) {
    now_.end_bytes -= bytes;
    now_.end_blocks -= calls;
    now_.min_bytes = std::min(now_.min_bytes, now_.end_bytes);
    now_.min_blocks = std::min(now_.min_blocks, now_.end_blocks);
  }

  // The resident memory now, and the most there was since the sample before.
  void rss(uint64_t bytes, uint64_t most);

  // How wide the buckets are when the end is known.
  static uint64_t width_until(uint64_t end_ns) {
    uint64_t width = kFirstWidthNs;
    while (end_ns / width >= kBuckets) width *= 2;
    return width;
  }

  // Everything up to and including the time of the end.
  Series finish(uint64_t end_ns);

 private:
  void open_bucket();
  void halve();

  std::vector<SeriesBucket> done_;
  SeriesBucket now_;
  uint64_t width_ = kFirstWidthNs;
  uint64_t end_ = kFirstWidthNs;
  bool has_rss_ = false;
};

}  // namespace heapledger
