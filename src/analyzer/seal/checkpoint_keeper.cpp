#include "analyzer/seal/checkpoint_keeper.h"

#include <algorithm>

namespace heapledger::seal {

// A moment at which a filling begins is a good one: reading goes on at its first entry.
CheckpointKeeper::CheckpointKeeper(const ExtentIndex& index, CheckpointSpacing spacing, int level)
    : spacing_(spacing), compressor_(level) {
  for (WindowExtents extents : index.windows()) {
    for (const ExtentRef& ref : extents) moments_.push_back(ref.base_time);
  }
  std::sort(moments_.begin(), moments_.end());
  moments_.erase(std::unique(moments_.begin(), moments_.end()), moments_.end());
}

bool CheckpointKeeper::is_due(uint64_t entries, uint64_t live_blocks) const {
  return entries - last_entries_ >=
         std::max(spacing_.entries, spacing_.entries_per_block * live_blocks);
}

void CheckpointKeeper::keep(const Checkpoint& checkpoint) {
  last_entries_ = checkpoint.entries;
  kept_.push_back({checkpoint.time, encode_checkpoint(checkpoint, compressor_)});
}

}  // namespace heapledger::seal
