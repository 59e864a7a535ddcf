// The index of live mode: a hash table of record numbers, in levels, each as large as all before
// it; nothing ever moves. What is needed to look into the newest level is here, to be part of the
// hooks; the rest is in live_blocks.cpp.
#pragma once

#include <atomic>
#include <cstdint>

#include "format/live_tables.h"
#include "runtime/modes/live_records.h"
#include "runtime/os/sole_or_shared.h"

namespace heapledger::runtime {

// A slot has the number of a record, plus one, and four bits of the address's hash above. A slot
// that was used once is never empty again: so whoever looks for an address and comes to an empty
// one knows that it is not further on.
using LiveSlot = uint32_t;
inline constexpr LiveSlot kEmptySlot = 0;
inline constexpr LiveSlot kUsedOnce = UINT32_MAX;
inline constexpr unsigned kSlotTagShift = 28;
inline constexpr uint32_t kSlotNumberMask = (1u << kSlotTagShift) - 1;

// A cache line. An address belongs into one line of a level, or the one beside it.
inline constexpr unsigned kSlotsPerLine = 16;
struct alignas(64) LiveLine {
  LiveSlot slots[kSlotsPerLine];
};

// The newest level. Of its first line it is a slot, whose number says how much larger than the
// first level it is: so where it is and how large it is are one word.
extern std::atomic<LiveSlot*> newest_live_level __attribute__((visibility("hidden")));
inline constexpr unsigned kFirstLevelBits = 12;  // of the number of lines

// Blocks that lie close to one another have the same line: they are often allocated and freed one
// after the other.
struct LiveHash {
  uint64_t value;
  uint32_t within;  // of the bytes that have the same line: which sixteen of them
  explicit LiveHash(uint64_t address)
      : value((address >> kNearBits) * 0x9E3779B97F4A7C15ull),
        within(static_cast<uint32_t>(address >> 4)) {}
  unsigned start() const {
    return (static_cast<unsigned>(value >> 20) + within * 2) % kSlotsPerLine;
  }
  uint32_t tag() const { return (static_cast<uint32_t>(value >> 24) ^ within) << kSlotTagShift; }

  static constexpr unsigned kNearBits = 7;
};

// A level's lines, and how many bits of a hash are the number of one.
struct LiveLevel {
  LiveLine* lines;
  unsigned bits;

  explicit LiveLevel(LiveSlot* word) {
    auto at = reinterpret_cast<uintptr_t>(word);
    lines = reinterpret_cast<LiveLine*>(at & ~(sizeof(LiveLine) - 1));
    bits = kFirstLevelBits + static_cast<unsigned>(at / sizeof(LiveSlot) % kSlotsPerLine);
  }
  uint64_t home(LiveHash hash) const { return hash.value >> (64 - bits); }
};

inline LiveLine& newest_line_of(LiveHash hash) {
  LiveLevel level(newest_live_level.load(std::memory_order_acquire));
  return level.lines[level.home(hash)];
}

// The address of a block as its record has it.
struct PackedAddress {
  uint32_t low;
  uint32_t high;
  explicit PackedAddress(uint64_t address)
      : low(static_cast<uint32_t>(address >> format::kLiveAddressShift)),
        high(static_cast<uint32_t>(address >> (format::kLiveAddressShift + 32)) & 0xFFF) {}
};

inline uint32_t load_word(const uint32_t& word) {
  return __atomic_load_n(&word, __ATOMIC_RELAXED);
}
inline void store_word(uint32_t& word, uint32_t value) {
  __atomic_store_n(&word, value, __ATOMIC_RELAXED);
}

inline bool is_of(LiveSlot slot, PackedAddress address) {
  const format::LiveRecord& record = live_record((slot & kSlotNumberMask) - 1);
  return load_word(record.address_low) == address.low &&
         (load_word(record.address_high_thread) & 0xFFF) == address.high;
}

// Looks in one line, from the slot where the address would like to be. Null: it is not there;
// `ends`: nor elsewhere, for there was an empty one.
__attribute__((always_inline)) inline LiveSlot* find_in_line(LiveLine& line, LiveHash hash,
                                                             PackedAddress address, LiveSlot& value,
                                                             bool& ends) {
  for (unsigned i = hash.start(), end = i + kSlotsPerLine; i != end; ++i) {
    LiveSlot& slot = line.slots[i % kSlotsPerLine];
    value = __atomic_load_n(&slot, __ATOMIC_ACQUIRE);
    if ((value & ~kSlotNumberMask) == hash.tag() && value != kEmptySlot && value != kUsedOnce &&
        is_of(value, address)) {
      return &slot;
    }
    if (value == kEmptySlot) {
      ends = true;
      return nullptr;
    }
  }
  return nullptr;
}

__attribute__((always_inline)) inline bool put_in_line(LiveLine& line, LiveHash hash,
                                                       LiveSlot value) {
  for (unsigned i = hash.start(), end = i + kSlotsPerLine; i != end; ++i) {
    LiveSlot& slot = line.slots[i % kSlotsPerLine];
    LiveSlot seen = load_word(slot);
    while (seen == kEmptySlot || seen == kUsedOnce) {
      if (os::exchange(slot, seen, value)) return true;
    }
  }
  return false;
}

}  // namespace heapledger::runtime
