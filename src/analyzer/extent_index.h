// Which extents a ledger has and in what order they belong: for every window, its fillings by
// sequence number, each with the places where it can be read. Built from the extent headers alone;
// 24 bytes of memory for 64 KiB of file, whatever the headers claim.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "analyzer/byte_source.h"
#include "analyzer/problems.h"
#include "format/layout.h"

namespace heapledger {

// One place where a filling of a window can be read.
struct ExtentRef {
  uint64_t seq;
  uint64_t base_time;
  uint32_t window;
  uint32_t place;  // extent number, times two, plus one for a window

  uint64_t extent() const { return place >> 1; }
  bool is_window() const { return (place & 1) != 0; }
};

// All places of one window, by sequence number; chunks before windows where both hold the same.
using WindowExtents = std::span<const ExtentRef>;

struct ExtentCounts {
  uint64_t windows = 0;
  uint64_t chunks = 0;
  uint64_t holes = 0;
};

class ExtentIndex {
 public:
  // Reads the header of every extent. What cannot be part of a sound ledger goes to `problems`.
  void build(ByteSource& source, uint64_t header_bytes, bool check_sums, Problems& problems);

  // Takes over the fillings of a sealed ledger, whose places are numbers of its own. Gaps between
  // them go to `problems`.
  void adopt(std::vector<ExtentRef> refs, const ExtentCounts& counts, uint64_t missed,
             Problems& problems);

  const std::vector<WindowExtents>& windows() const { return windows_; }
  const ExtentCounts& counts() const { return counts_; }

  // Extents with tables of count mode.
  const std::vector<uint64_t>& count_extents() const { return count_extents_; }

  // Entries that threads with a window could not make.
  uint64_t missed() const;

  // How far the file reached when it was indexed, in extents (a cut one included).
  uint64_t extents() const { return extents_; }

 private:
  struct Torn {
    uint64_t seq;
    uint32_t window;
    uint32_t extent;
  };

  void add(const format::ExtentHeader& header, uint64_t extent, bool check_sums);
  void group(Problems& problems);
  void check_order(WindowExtents extents, Problems& problems) const;
  void check_torn(Problems& problems) const;
  bool window_holds(uint32_t window, uint64_t seq) const;

  std::vector<ExtentRef> refs_;
  std::vector<Torn> torn_;
  std::vector<WindowExtents> windows_;
  ExtentCounts counts_;
  std::vector<uint64_t> count_extents_;
  std::unordered_map<uint32_t, uint64_t> missed_;  // by window; those that missed any
  uint64_t extents_ = 0;
};

// Whether the header of a chunk is as it was written.
bool header_is_sound(const format::ExtentHeader& header);

}  // namespace heapledger
