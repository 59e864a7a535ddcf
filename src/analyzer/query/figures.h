// What a group of blocks adds up to.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/query/histogram.h"

namespace heapledger {

// A size and how often it was asked for. With more sizes than are kept a count can be too
// high, by `over` at the most.
struct CommonSize {
  uint64_t size = 0;
  uint64_t calls = 0;
  uint64_t over = 0;
};

// What only sampled ledgers have. Standard errors: two thirds of all estimates are not further from
// the truth than that; 0: exact.
struct Estimates {
  double calls_error = 0;
  double bytes_error = 0;
  double live_error = 0;  // of live_bytes
  double peak_error = 0;  // of peak_bytes, where they are known

  bool has_time = false;  // samples carry the time that they stand for
  uint64_t time_ns = 0;
};

struct Figures : Estimates {
  uint64_t calls = 0;        // that returned a block, resizes included
  uint64_t bytes = 0;        // requested by them
  uint64_t live_blocks = 0;  // at the moment, or at the end of the range
  uint64_t live_bytes = 0;
  uint64_t frees = 0;         // of blocks seen allocated; resizes not included
  uint64_t ended_blocks = 0;  // freed, resized, or their address used again
  uint64_t ended_bytes = 0;
  uint64_t temporary_calls = 0;  // freed as the very next heap operation of their thread
  uint64_t resizes = 0;          // of an existing block
  uint64_t moved_blocks = 0;     // resizes that gave another address …
  uint64_t moved_bytes = 0;      // … and what they had to copy: the lesser of old and new size
  uint64_t smallest = 0;         // 0 without calls
  uint64_t largest = 0;

  bool has_peak = false;      // the next three are known
  uint64_t peak_bytes = 0;    // most bytes live at any moment (of the range)
  uint64_t peak_blocks = 0;   // blocks live then
  uint64_t peak_time_ns = 0;  // since the start of the earliest ledger

  bool has_lifetimes = false;  // of blocks that ended
  Histogram lifetimes;         // in ns

  bool has_sizes = false;
  std::vector<CommonSize> common_sizes;  // the most common first, kCommonSizes at the most

  bool has_threads = false;  // pairs of ledger and place in LedgerFacts::threads
  std::vector<std::pair<uint32_t, uint32_t>> allocating_threads;
  std::vector<std::pair<uint32_t, uint32_t>> freeing_threads;

  uint64_t average_size() const { return calls == 0 ? 0 : bytes / calls; }
};
inline constexpr size_t kCommonSizes = 8;

// From the sum of the squares; rounding in long sums of what comes and goes leaves a little.
inline double standard_error(double variance) {
  return variance > 1e-3 ? std::sqrt(variance) : 0;
}

enum class Measure {
  kLiveBytes,
  kLiveBlocks,
  kCalls,
  kBytes,
  kPeakBytes,
  kTemporaryCalls,
  kFrees,
  kEndedBytes,
  kResizes,
  kMovedBytes,
  kAverageSize,
  kMedianLifetime,
  kMeanLifetime,
  kRssPeak,  // of a process
  kTime,     // that samples stand for
};

// "live", "blocks", "calls", "bytes", "peak", "temporary", "frees", "freed", "reallocs", "moved",
// "size", "lifetime", "mean-lifetime", "rss", "time". Throws Error that lists them.
Measure parse_measure(std::string_view text);
std::string_view name_of(Measure measure);
uint64_t value_of(const Figures& figures, Measure measure);

}  // namespace heapledger
