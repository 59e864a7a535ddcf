// What the blocks of a sampled ledger stand for. A block of s bytes that was entered with the
// chance p stands for 1/p calls and s/p bytes: then every sum is right on average, whatever the
// program does. The chance follows from the block's size and the mean distance T of the samples:
// 1 - e^(-s/T) by bytes, 1/N by calls.
//
// Sums are kept as whole numbers, so weights are rounded up or down by a chance that makes up for
// it; that one is drawn from the block itself, so a ledger always gives the same figures. Blocks of
// other ledgers stand for themselves, exactly.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyzer/live_blocks.h"
#include "format/layout.h"

namespace heapledger {

struct Weight {
  uint64_t calls = 1;
  uint64_t bytes = 0;
  bool sampled = false;       // the rest is not zero
  double calls_variance = 0;  // what it adds to the squared standard error of a sum
  double bytes_variance = 0;
};

class Sampling {
 public:
  Sampling() = default;
  explicit Sampling(const format::FileHeader& header);

  // An entry of kind kMode. Those of one process may come in any order, and more than once.
  void change(uint64_t time, std::string_view fields);

  // Nothing is sampled, as far as is known.
  bool exact() const { return exact_; }

  Weight of(const LiveBlock& block) const {
    if (exact_ || (block.thread & kExactBlock) != 0) [[likely]] {
      return {(block.thread & kPartOfBlock) != 0 ? 0u : 1u, block.size, false, 0, 0};
    }
    return weigh(block.size, block.time, block.address);
  }

  // What the ledger was begun with, if with samples; 0: not so.
  uint64_t mean_bytes() const { return first_.bytes; }
  uint64_t mean_calls() const { return first_.calls; }

 private:
  struct Rate {
    uint64_t time = 0;   // from here on
    uint64_t bytes = 0;  // mean distance; both 0: every call is entered
    uint64_t calls = 0;
  };

  Weight weigh(uint64_t size, uint64_t time, uint64_t address) const;

  bool exact_ = true;
  Rate first_;
  std::vector<Rate> later_;  // by time
};

}  // namespace heapledger
