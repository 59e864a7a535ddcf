// What is known of places in the code, found by address and module: an open-addressing table, as
// there are hundreds of thousands of them. Its hash has a random seed, so that no file can be made
// to collide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "analyzer/query/code_place.h"

namespace heapledger {

template <typename Known>
class PlaceTable {
 public:
  PlaceTable() : slots_(kFirst) {
    std::random_device random;
    seed_ = uint64_t{random()} << 32 | random();
  }

  // nullptr when there is nothing. The pointer holds until the next insert.
  const Known* find(const CodePlace& place) const {
    for (size_t at = home(place);; at = (at + 1) & mask()) {
      const Slot& slot = slots_[at];
      if (!slot.used) return nullptr;
      if (slot.place == place) return &slot.known;
    }
  }

  // One that is not there.
  void insert(const CodePlace& place, const Known& known) {
    if (++count_ > slots_.size() / 2) grow();
    put({place, known, true});
  }

 private:
  static constexpr size_t kFirst = 64;

  struct Slot {
    CodePlace place;
    Known known{};
    bool used = false;
  };

  size_t mask() const { return slots_.size() - 1; }
  size_t home(const CodePlace& place) const {
    constexpr uint64_t kGoldenRatio = 0x9E3779B97F4A7C15ull;
    uint64_t sum = (place.address ^ seed_) * kGoldenRatio;
    sum = (sum ^ (sum >> 29) ^ place.module) * kGoldenRatio;
    return static_cast<size_t>(sum ^ (sum >> 32)) & mask();
  }

  void put(const Slot& slot) {
    size_t at = home(slot.place);
    while (slots_[at].used) at = (at + 1) & mask();
    slots_[at] = slot;
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.used) put(slot);
    }
  }

  std::vector<Slot> slots_;
  size_t count_ = 0;
  uint64_t seed_ = 0;
};

}  // namespace heapledger
