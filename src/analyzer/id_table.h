// Small numbers that a ledger gives out in order (sites, threads) mapped to a 32-bit value. Low
// numbers sit in an array; a hostile file may use any number, so high ones go to a hash map and
// memory stays in proportion to the numbers used.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace heapledger {

class IdTable {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  uint32_t find(uint32_t id) const {
    if (id < low_.size()) [[likely]] {
      return low_[id];
    }
    if (id < kLow || high_.empty()) return kNone;
    auto found = high_.find(id);
    return found == high_.end() ? kNone : found->second;
  }

  void prefetch(uint32_t id) const {
    if (id < low_.size()) __builtin_prefetch(&low_[id]);
  }

  void set(uint32_t id, uint32_t value) {
    if (id >= kLow) {
      high_[id] = value;
      return;
    }
    if (id >= low_.size()) low_.resize(std::max<size_t>(id + 1, low_.size() * 2), kNone);
    low_[id] = value;
  }

 private:
  static constexpr uint32_t kLow = 1u << 20;

  std::vector<uint32_t> low_;
  std::unordered_map<uint32_t, uint32_t> high_;
};

}  // namespace heapledger
