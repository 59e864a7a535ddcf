// The slots of one lane while a schedule is built: which are empty, and how many blocks have been
// in each.
#pragma once

#include <cstdint>
#include <vector>

namespace heapledger {

class LaneSlots {
 public:
  // An empty one, the last that was emptied first: so the player touches few of them.
  uint32_t take() {
    if (empty_.empty()) return add();
    const uint32_t slot = empty_.back();
    empty_.pop_back();
    return slot;
  }

  // The generation of a block that is put there.
  uint16_t put(uint32_t slot) { return generations_[slot]++; }

  // This lane has emptied it …
  void emptied(uint32_t slot) { empty_.push_back(slot); }

  // … or another one will: the owner would have to wait for that, so it takes others first.
  void emptied_elsewhere(uint32_t slot) {
    if (elsewhere_.size() < kDistance) return elsewhere_.push_back(slot);
    empty_.push_back(elsewhere_[oldest_]);
    elsewhere_[oldest_] = slot;
    oldest_ = (oldest_ + 1) % kDistance;
  }

  // Where this lane puts blocks of others for the moment that it takes to free them.
  uint32_t hand() {
    if (hand_ == UINT32_MAX) hand_ = add();
    return hand_;
  }

  uint32_t count() const { return static_cast<uint32_t>(generations_.size()); }

 private:
  static constexpr uint32_t kDistance = 1024;

  uint32_t add() {
    generations_.push_back(0);
    return count() - 1;
  }

  std::vector<uint16_t> generations_;  // of the next block
  std::vector<uint32_t> empty_;
  std::vector<uint32_t> elsewhere_;  // a ring, once it is full
  uint32_t oldest_ = 0;
  uint32_t hand_ = UINT32_MAX;
};

}  // namespace heapledger
