// Finds the block that an address lies in, among millions, in little more than constant time.
#pragma once

#include <cstdint>
#include <vector>

#include "cores/live_heap.h"

namespace heapledger::cores {

// Blocks by address. A block of no bytes is taken as one of one byte, so that it has an address.
// Where blocks overlap (the dump may be damaged), one ends where the next begins.
class BlocksByAddress {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  explicit BlocksByAddress(const std::vector<LiveBlock>& blocks);

  uint32_t size() const { return static_cast<uint32_t>(starts_.size()); }
  uint64_t start(uint32_t place) const { return starts_[place]; }
  uint64_t end(uint32_t place) const { return ends_[place]; }

  // Where it stands in LiveHeap::blocks.
  uint32_t number(uint32_t place) const { return numbers_[place]; }

  // The place of the block in which `address` lies, or kNone.
  uint32_t find(uint64_t address) const;

  // The place of the first block that begins at `address` or later; size() if none does.
  uint32_t first_from(uint64_t address) const;

 private:
  // Blocks with no large gap between them, cut into equal cells: of each it is known which block is
  // the first to begin in it or behind it.
  struct Span {
    uint64_t start = 0;
    uint64_t end = 0;
    uint32_t first = 0;  // place of its first block
    uint32_t last = 0;   // and the one behind its last
    uint32_t cell_bits = 0;
    size_t first_cell = 0;
  };

  void add_span(uint32_t first, uint32_t last);
  const Span* span_of(uint64_t address) const;

  std::vector<uint64_t> starts_;
  std::vector<uint64_t> ends_;
  std::vector<uint32_t> numbers_;
  std::vector<Span> spans_;
  std::vector<uint32_t> cells_;
};

}  // namespace heapledger::cores
