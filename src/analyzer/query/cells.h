// What a pass counts: sums that can be added to one another, for every site, thread, size or
// whatever the blocks are told apart by; and peaks, which cannot.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "analyzer/account_numbers.h"
#include "analyzer/paged.h"
#include "analyzer/query/figures.h"
#include "analyzer/query/histogram.h"
#include "analyzer/sampling.h"

namespace heapledger {

struct Cell : Sums {
  uint64_t smallest = UINT64_MAX;
  uint64_t largest = 0;
  uint64_t time_ns = 0;
  double calls_variance = 0;
  double bytes_variance = 0;
  double live_variance = 0;

  void add(const Cell& other);
  bool empty() const {
    return calls == 0 && ended_blocks == 0 && live_blocks == 0 && live_bytes == 0 &&
           ended_bytes == 0;
  }
};

// Of measures that add up.
uint64_t value_of(const Cell& cell, Measure measure);

// The most frequent of many sizes, in a few counters: when all are taken, the rarest is replaced
// and its count goes on under the new size, marked as doubtful (the "space saving" algorithm).
class TopSizes {
 public:
  void add(uint64_t size, uint64_t calls = 1, uint64_t over = 0);
  void add(const TopSizes& other);
  std::vector<CommonSize> sorted() const;

 private:
  static constexpr size_t kKept = 2 * kCommonSizes;
  std::vector<CommonSize> sizes_;
};

using ThreadId = std::pair<uint32_t, uint32_t>;  // ledger and place
using ThreadIds = std::vector<ThreadId>;         // sorted

void add_thread(ThreadIds& threads, ThreadId thread);

// What is kept only on request.
struct Extras {
  Histogram lifetimes;
  TopSizes sizes;
  ThreadIds allocating;
  ThreadIds freeing;

  void add(const Extras& other);
};

struct PeakCell {
  uint64_t live_bytes = 0;
  uint64_t live_blocks = 0;
  uint64_t peak_bytes = 0;
  uint64_t peak_blocks = 0;
  Moment peak;
  double peak_variance = 0;
  double live_variance = 0;

  void born(const Weight& weight, Moment moment) {
    live_bytes += weight.bytes;
    live_blocks += weight.calls;
    if (weight.sampled) live_variance += weight.bytes_variance;
    if (live_bytes <= peak_bytes) return;
    peak_bytes = live_bytes;
    peak_blocks = live_blocks;
    peak_variance = live_variance;
    peak = moment;
  }
  // So much, at a time and in blocks that nobody knows.
  void reached(uint64_t bytes, Moment moment) {
    if (bytes <= peak_bytes) return;
    peak_bytes = bytes;
    peak_blocks = 0;
    peak_variance = 0;
    peak = moment;
  }
  void died(const Weight& weight) {
    live_bytes -= weight.bytes;
    live_blocks -= weight.calls;
    if (weight.sampled) live_variance -= weight.bytes_variance;
  }
};

// All that a pass, or the overview, has counted.
struct Tallied {
  Paged<Cell> cells;
  Paged<Extras> extras;  // of as many cells; none when nothing of it is wanted
  bool has_time = false;
  bool cells_have_peaks = false;
  Paged<PeakCell> cell_peaks;   // if so, of as many cells
  Paged<PeakCell> group_peaks;  // of groups that overlap; if wanted
  bool has_total_peak = false;
  PeakCell total_peak;
};

}  // namespace heapledger
