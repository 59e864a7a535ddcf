// What is known about addresses of code, 64 bits for each, in a table that all threads share and
// that grows by levels. A cache: where there is no memory for another level, or none of its places
// is free, nothing is kept.
//
// The first two levels are one mapping. A small one that comes later, when chance has filled the
// first level, would take the place of a plugin that was unloaded and is about to come back.
//
// Thread safety: everything may be called at any time by any thread. A value is written before the
// address that makes it findable; of two threads that keep one for the same address, both may.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "runtime/os/os.h"
#include "runtime/unwind/shared_memory.h"

namespace heapledger::runtime {

template <unsigned kFirstBits, unsigned kLevels>
class AddressTable {
 public:
  // Of the places around `pc`, those of the first level: no call, for those who ask often.
  __attribute__((always_inline)) bool find_near(uint64_t pc, uint64_t& value) const {
    return find_in(0, pc, value);
  }

  // Where there is a level beyond the first mapping, most addresses are in the last one.
  bool find(uint64_t pc, uint64_t& value) const {
    for (unsigned level = kLevels; level-- > 2;) {
      if (find_in(level, pc, value)) return true;
    }
    return find_in(0, pc, value) || (!has_room(0, pc) && find_in(1, pc, value));
  }

  void keep(uint64_t pc, uint64_t value) {
    for (unsigned level = 0; level < kLevels; ++level) {
      if (provide(place_of(level), mapped_bytes(level)) == nullptr) return;
      Bucket* buckets = buckets_of(level);
      for (Slot& slot : bucket_of(buckets, level, pc).slots) {
        if (keep_in(slot, pc, value)) return;
      }
    }
  }

  // Code in [start, end) has been unloaded. Addresses are those that calls return to.
  void forget_range(uint64_t start, uint64_t end) {
    for (unsigned level = 0; level < kLevels; ++level) {
      Bucket* buckets = buckets_of(level);
      if (buckets == nullptr) continue;
      for (size_t i = 0; i < bytes_of(level) / sizeof(Bucket); ++i) {
        for (Slot& slot : buckets[i].slots) {
          uint64_t pc = slot.pc.load(std::memory_order_relaxed);
          if (pc > start && pc <= end) slot.pc.store(kForgotten, std::memory_order_release);
        }
      }
    }
  }

  // After a fork, before there are other threads.
  void forget_all() {
    empty(place_of(0), mapped_bytes(0));  // wanted again at once
    for (unsigned level = 2; level < kLevels; ++level) drop(place_of(level), bytes_of(level));
  }

 private:
  // In place of an address.
  static constexpr uint64_t kFree = 0;
  static constexpr uint64_t kBeingFilled = ~uint64_t{0};
  static constexpr uint64_t kForgotten = ~uint64_t{1};

  struct Slot {
    std::atomic<uint64_t> pc;
    std::atomic<uint64_t> value;
  };
  struct alignas(64) Bucket {
    Slot slots[4];
  };

  // Level n has 2^(kFirstBits + 3n) buckets of 64 bytes.
  static constexpr unsigned bits_of(unsigned level) { return kFirstBits + 3 * level; }
  static constexpr size_t bytes_of(unsigned level) { return sizeof(Bucket) << bits_of(level); }

  // The second level follows right behind the first.
  std::atomic<Bucket*>& place_of(unsigned level) { return mappings_[level < 2 ? 0 : level - 1]; }
  static constexpr size_t mapped_bytes(unsigned level) {
    return level < 2 ? bytes_of(0) + bytes_of(1) : bytes_of(level);
  }
  Bucket* buckets_of(unsigned level) const {
    Bucket* mapping = mappings_[level < 2 ? 0 : level - 1].load(std::memory_order_acquire);
    return level == 1 && mapping != nullptr ? mapping + bytes_of(0) / sizeof(Bucket) : mapping;
  }

  static Bucket& bucket_of(Bucket* buckets, unsigned level, uint64_t pc) {
    uint64_t hash = pc * 0x9E3779B97F4A7C15ull;
    return buckets[hash >> (64 - bits_of(level))];
  }

  __attribute__((always_inline)) bool find_in(unsigned level, uint64_t pc, uint64_t& value) const {
    Bucket* buckets = buckets_of(level);
    if (__builtin_expect(buckets == nullptr, 0)) return false;
    for (const Slot& slot : bucket_of(buckets, level, pc).slots) {
      if (slot.pc.load(std::memory_order_acquire) == pc) {
        value = slot.value.load(std::memory_order_relaxed);
        return true;
      }
    }
    return false;
  }

  // Whether a place for `pc` was never taken: then none was looked for in later levels, whose
  // memory, not touched yet, has a price. Places are taken in their order.
  bool has_room(unsigned level, uint64_t pc) const {
    Bucket* buckets = buckets_of(level);
    if (buckets == nullptr) return true;
    return bucket_of(buckets, level, pc).slots[3].pc.load(std::memory_order_acquire) == kFree;
  }

  // Claims a free slot and fills it in; false if the slot is taken.
  static bool keep_in(Slot& slot, uint64_t pc, uint64_t value) {
    // Without a look before: in memory that nobody has touched that would be a second page fault.
    uint64_t seen = kFree;
    bool claimed = slot.pc.compare_exchange_strong(seen, kBeingFilled, std::memory_order_acquire);
    if (!claimed && seen == kForgotten) {
      claimed = slot.pc.compare_exchange_strong(seen, kBeingFilled, std::memory_order_acquire);
    }
    if (!claimed) return false;
    slot.value.store(value, std::memory_order_relaxed);
    slot.pc.store(pc, std::memory_order_release);
    return true;
  }

  static_assert(kLevels >= 2);
  std::atomic<Bucket*> mappings_[kLevels - 1] = {};
};

}  // namespace heapledger::runtime
