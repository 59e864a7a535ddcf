// What a group of blocks adds up to.
#pragma once

#include <array>
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
  bool operator==(const CommonSize&) const = default;
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
  bool operator==(const Estimates&) const = default;
};

// Sums of what happens to some blocks only.
struct RareSums {
  uint64_t temporary_calls = 0;  // freed as the very next heap operation of their thread
  uint64_t resizes = 0;          // of an existing block
  uint64_t moved_blocks = 0;     // resizes that gave another address …
  uint64_t moved_bytes = 0;      // … and what they had to copy: the lesser of old and new size

  void count_free(uint64_t calls, bool temporary) { temporary_calls += temporary ? calls : 0; }

  // `calls` were made, `moves` of which gave another address.
  void count_resize(uint64_t calls, uint64_t moves, uint64_t old_size, uint64_t size) {
    resizes += calls;
    moved_blocks += moves;
    moved_bytes += moves * (old_size < size ? old_size : size);
  }

  void add(const RareSums& other);
  bool operator==(const RareSums&) const = default;
};

// What adds up over blocks: the sums of groups that do not overlap are the sums of all of them.
struct Sums : RareSums {
  uint64_t calls = 0;        // that returned a block, resizes included
  uint64_t bytes = 0;        // requested by them
  uint64_t live_blocks = 0;  // at the moment, or at the end of the range
  uint64_t live_bytes = 0;
  uint64_t frees = 0;         // of blocks seen allocated; resizes not included
  uint64_t ended_blocks = 0;  // freed, resized, or their address used again
  uint64_t ended_bytes = 0;

  void add(const Sums& other);
  void subtract(const Sums& other);  // which is part of it
  bool operator==(const Sums&) const = default;
};

struct Figures : Sums, Estimates {
  uint64_t smallest = 0;  // 0 without calls
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

  bool operator==(const Figures&) const = default;
  uint64_t average_size() const { return calls == 0 ? 0 : bytes / calls; }
};
inline constexpr size_t kCommonSizes = 8;

// From the sum of the squares; rounding in long sums of what comes and goes leaves a little.
inline double standard_error(double variance) {
  return variance > 1e-3 ? std::sqrt(variance) : 0;
}

// The catalogue of figures: everything that a group has one number of. What shows, sorts, exports
// or limits figures goes through these rows, so that a new one is a member above, its computation,
// and a row in figures.cpp.
enum class Measure : uint8_t {
  kLiveBytes,
  kLiveBlocks,
  kCalls,
  kBytes,
  kFrees,
  kEndedBlocks,
  kEndedBytes,
  kTemporaryCalls,
  kResizes,
  kMovedBlocks,
  kMovedBytes,
  kSmallest,
  kLargest,
  kPeakBytes,
  kPeakBlocks,
  kPeakTime,
  kTime,  // that samples stand for
  kAverageSize,
  kAverageLiveSize,
  kMedianLifetime,
  kMeanLifetime,
  kRssPeak,  // of a process
};
inline constexpr size_t kMeasures = 22;

enum class FigureUnit : uint8_t { kBytes, kCount, kNanoseconds };

struct FigureRow {
  Measure measure;
  std::string_view word;   // in options; empty: nothing to sort by
  std::string_view key;    // in JSON and tables; empty: not there, it follows from others
  std::string_view title;  // of a column
  FigureUnit unit;
  uint64_t Sums::*sum;                // it adds up
  uint64_t Figures::*member;          // where it is, if it does not follow from others; else
  uint64_t (*value)(const Figures&);  // what it is
  bool (*is_known)(const Figures&);   // nullptr: always
  double Estimates::*error;           // of an estimate; nullptr: none is known
  std::string_view help;
};

// In the order in which they are always listed.
const std::array<FigureRow, kMeasures>& figure_catalog();
const FigureRow& row_of(Measure measure);

// Throws Error that lists the words.
Measure parse_measure(std::string_view text);
std::string_view name_of(Measure measure);
uint64_t value_of(const Figures& figures, Measure measure);
bool is_known(const Figures& figures, Measure measure);
// Shares of it make sense.
bool adds_up(Measure measure);

}  // namespace heapledger
