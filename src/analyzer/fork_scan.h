// Scans the ledger of a process that forked, only as far as its children need: which blocks were
// live at each fork. Keeps no accounts.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/ledger_file.h"
#include "analyzer/merge.h"
#include "analyzer/pairing.h"
#include "analyzer/progress.h"
#include "analyzer/sampling.h"

namespace heapledger {

// Where a process stood when it forked.
struct ForkPoint {
  uint64_t time = 0;    // in units of the parent's ledger
  uint32_t window = 0;  // of the thread that forked
  StreamPosition position;

  friend auto operator<=>(const ForkPoint&, const ForkPoint&) = default;
};

// From the header of the child's ledger.
ForkPoint find_fork(LedgerFile& parent, const format::FileHeader& child);

class ForkScan final : private PairingSink {
 public:
  // `inherited` is what the parent itself had at its start; `forks` is where it will be asked
  // about, in order.
  ForkScan(LedgerFile& file, const std::vector<LiveBlock>& inherited,
           const std::vector<ForkPoint>& forks, Progress& progress);
  ForkScan(const ForkScan&) = delete;
  ForkScan& operator=(const ForkScan&) = delete;

  // Scans up to a fork. The forks are visited in the order given above.
  void run_to(const ForkPoint& fork);

  // Lets the thread that forked go on.
  void leave(const ForkPoint& fork);

  LiveBlocks& live() { return pairing_.live(); }
  // What they stand for, when they are samples.
  uint64_t live_blocks() const { return live_blocks_; }
  uint64_t live_bytes() const { return live_bytes_; }

  // For Merge:
  void prefetch(const format::Entry& entry) const { pairing_.live().prefetch(entry.pointer); }
  void extent_opened(Stream& stream);
  void entry(Stream& stream, const format::Entry& entry);
  void resized(Stream& stream, const format::Entry& entry);

 private:
  template <typename Sink>
  friend class Pairing;

  // For Pairing:
  void born(LiveBlock& block) override {
    Weight weight = sampling_.of(block);
    live_blocks_ += weight.calls;
    live_bytes_ += weight.bytes;
  }
  void died(const LiveBlock& block, const Death&) override { never_died(block, 0); }
  void never_born(uint64_t, const Death&) override {}
  void never_died(const LiveBlock& block, uint64_t) override {
    Weight weight = sampling_.of(block);
    live_blocks_ -= weight.calls;
    live_bytes_ -= weight.bytes;
  }

  Sampling sampling_;
  Merge merge_;
  Pairing<ForkScan> pairing_;
  Progress& progress_;
  uint64_t live_blocks_ = 0;
  uint64_t live_bytes_ = 0;
};

}  // namespace heapledger
