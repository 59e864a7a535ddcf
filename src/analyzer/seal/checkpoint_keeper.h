// Makes checkpoints along a scan of a ledger: says at which moments the scan is to pause, whether
// one is worth keeping there, and keeps it, compressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "analyzer/extent_index.h"
#include "analyzer/seal/checkpoint.h"
#include "analyzer/seal/checkpoint_spacing.h"
#include "analyzer/seal/columns.h"
#include "analyzer/seal/zstd_codec.h"

namespace heapledger::seal {

struct StoredCheckpoint {
  uint64_t time = 0;
  Bytes content;
};

class CheckpointKeeper {
 public:
  CheckpointKeeper(const ExtentIndex& index, CheckpointSpacing spacing, int level = kDefaultLevel);

  // Whether there is a moment to pause at up to and including `limit`, and when it is.
  bool pauses_before(uint64_t limit) const {
    return next_ < moments_.size() && moments_[next_] <= limit;
  }
  uint64_t moment() const { return moments_[next_]; }
  void pass_moment() { ++next_; }

  bool is_due(uint64_t entries, uint64_t live_blocks) const;
  void keep(const Checkpoint& checkpoint);

  std::vector<StoredCheckpoint> take() { return std::move(kept_); }

 private:
  CheckpointSpacing spacing_;
  Compressor compressor_;
  std::vector<uint64_t> moments_;  // ascending
  size_t next_ = 0;
  uint64_t last_entries_ = 0;  // before the checkpoint that was kept last
  std::vector<StoredCheckpoint> kept_;
};

}  // namespace heapledger::seal
