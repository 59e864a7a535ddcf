// Which blocks a ledger has and in what order they belong: for every window, its fillings by
// sequence number, each with the places where it can be read. Built from the block headers alone;
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
struct BlockRef {
  uint64_t seq;
  uint64_t base_time;
  uint32_t window;
  uint32_t place;  // block number, times two, plus one for a window

  uint64_t block() const { return place >> 1; }
  bool is_window() const { return (place & 1) != 0; }
};

// All places of one window, by sequence number; chunks before windows where both hold the same.
using WindowBlocks = std::span<const BlockRef>;

struct BlockCounts {
  uint64_t windows = 0;
  uint64_t chunks = 0;
  uint64_t holes = 0;
};

class BlockIndex {
 public:
  // Reads the header of every block. What cannot be part of a sound ledger goes to `problems`.
  void build(ByteSource& source, uint64_t header_bytes, bool check_sums, Problems& problems);

  // Takes over the fillings of a sealed ledger, whose places are numbers of its own. Gaps between
  // them go to `problems`.
  void adopt(std::vector<BlockRef> refs, const BlockCounts& counts, uint64_t missed,
             Problems& problems);

  const std::vector<WindowBlocks>& windows() const { return windows_; }
  const BlockCounts& counts() const { return counts_; }

  // Blocks with tables of count mode.
  const std::vector<uint64_t>& count_blocks() const { return count_blocks_; }

  // Entries that threads with a window could not make.
  uint64_t missed() const;

  // How far the file reached when it was indexed, in blocks (a cut one included).
  uint64_t blocks() const { return blocks_; }

 private:
  struct Torn {
    uint64_t seq;
    uint32_t window;
    uint32_t block;
  };

  void add(const format::BlockHeader& header, uint64_t block, bool check_sums);
  void group(Problems& problems);
  void check_order(WindowBlocks blocks, Problems& problems) const;
  void check_torn(Problems& problems) const;
  bool window_holds(uint32_t window, uint64_t seq) const;

  std::vector<BlockRef> refs_;
  std::vector<Torn> torn_;
  std::vector<WindowBlocks> windows_;
  BlockCounts counts_;
  std::vector<uint64_t> count_blocks_;
  std::unordered_map<uint32_t, uint64_t> missed_;  // by window; those that missed any
  uint64_t blocks_ = 0;
};

// Whether the header of a chunk is as it was written.
bool header_is_sound(const format::BlockHeader& header);

}  // namespace heapledger
