// Small numbers that a ledger gives out in order (sites, threads) mapped to a 32-bit value. They
// sit in an array; a hostile file may use any number, so those far beyond the others go to a hash
// map and memory stays in proportion to the numbers used.
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
    if (high_.empty()) return kNone;
    auto found = high_.find(id);
    return found == high_.end() ? kNone : found->second;
  }

  void prefetch(uint32_t id) const {
    if (id < low_.size()) __builtin_prefetch(&low_[id]);
  }

  void set(uint32_t id, uint32_t value) {
    if (id >= low_.size()) {
      if (id >= kLow && id / kSparse > used_) {
        high_[id] = value;
        return;
      }
      grow(id);
    }
    used_ += low_[id] == kNone ? 1 : 0;
    low_[id] = value;
  }

 private:
  static constexpr uint32_t kLow = 1u << 20;
  static constexpr uint32_t kSparse = 4;  // the array has at most so many places for each number

  void grow(uint32_t id) {
    low_.resize(std::max<size_t>(size_t{id} + 1, low_.size() * 2), kNone);
    for (auto at = high_.begin(); at != high_.end();) {
      if (at->first >= low_.size()) {
        ++at;
        continue;
      }
      low_[at->first] = at->second;
      ++used_;
      at = high_.erase(at);
    }
  }

  std::vector<uint32_t> low_;
  uint32_t used_ = 0;  // places of it
  std::unordered_map<uint32_t, uint32_t> high_;
};

}  // namespace heapledger
