// What one pass over all the ledgers tells: all a report begins with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/ledger_facts.h"
#include "analyzer/query/figures.h"
#include "analyzer/query/series.h"

namespace heapledger {

struct Marker {
  std::string text;
  uint64_t time_ns = 0;
  uint32_t ledger = 0;
};

struct Overview {
  std::vector<LedgerFacts> processes;

  // Sums of what the processes say; the peaks are of all together. Has the calls that were counted
  // and not entered, too.
  Totals sums;
  FunctionCounts by_function{};
  Counts counts;
  uint64_t damages = 0;    // blocks that were found damaged
  bool has_sites = false;  // otherwise there are sums, but nothing to ask about

  Figures totals;  // live ones: at the peak; the peak, lifetimes and common sizes are known

  uint64_t duration_ns = 0;  // from the earliest start to the latest end
  uint64_t peak_time_ns = 0;
  uint64_t never_freed_bytes = 0;
  uint64_t never_freed_blocks = 0;
  double never_freed_error = 0;  // standard error of the bytes

  uint64_t rss_peak_bytes = 0;
  uint64_t rss_peak_time_ns = 0;  // 0, and nothing live, without samples
  uint64_t live_bytes_at_rss_peak = 0;
  uint64_t live_blocks_at_rss_peak = 0;

  Histogram sizes;      // of all calls
  Histogram lifetimes;  // of all blocks that ended, in ns
  std::vector<CommonSize> common_sizes;

  Series series;
  std::vector<Marker> markers;  // the first kMaxMarkers

  // Calls were counted, and none entered.
  bool only_counts() const { return !counts.empty() && !has_sites; }
  bool is_live() const { return all_live(processes); }  // every ledger is the heap of one moment
};
inline constexpr size_t kMaxMarkers = 4096;
inline constexpr size_t kMaxMarkerText = 256;

}  // namespace heapledger
