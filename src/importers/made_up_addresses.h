// Addresses for blocks of recordings that have none: dense, never two live blocks over one another,
// and the last one freed is the first to be used again, as an allocator would have it.
#pragma once

#include <tsl/robin_map.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heapledger {

// For addresses and sizes, whose last bits are all alike.
struct SpreadHash {
  size_t operator()(uint64_t value) const {
    return static_cast<size_t>(value * 0x9E3779B97F4A7C15u >> 16);
  }
};

class MadeUpAddresses {
 public:
  // 0: there is no room for a block of that size.
  uint64_t take(uint64_t size) {
    if (size > kMost) return 0;
    uint64_t room = room_for(size);
    auto place = free_.find(room);
    if (place != free_.end() && !place->second.empty()) {
      uint64_t address = place->second.back();
      place.value().pop_back();
      return address;
    }
    if (next_ + room > kMost) return 0;
    uint64_t address = next_;
    next_ += room;
    return address;
  }

  void give_back(uint64_t address, uint64_t size) { free_[room_for(size)].push_back(address); }

 private:
  static constexpr uint64_t kMost = uint64_t{1} << 56;
  static uint64_t room_for(uint64_t size) { return (size + 31) / 16 * 16; }

  tsl::robin_map<uint64_t, std::vector<uint64_t>, SpreadHash> free_;  // by their room
  uint64_t next_ = uint64_t{1} << 20;
};

}  // namespace heapledger
