// Rows: the unwind rules at one address, condensed to 64 bits and kept in a cache that all threads
// share. A row is looked up by return address and holds for the call before it.
//
// Thread safety: everything may be called at any time by any thread. A row is written before the
// address that makes it findable; forget_rows makes the rows of unloaded code unfindable.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "runtime/unwind/cfi_rules.h"

namespace heapledger::runtime {

enum class RowKind : uint8_t {
  kUnknown = 0,  // no row: nothing is known about the address
  kStack = 1,    // CFA = stack pointer + offset, a positive number of words
  kFrame = 2,    // CFA = frame pointer + offset
  kOutermost = 3,
  kGeneral = 4,  // anything else: the full rules have to be run each time
};

// For kStack and kFrame: the return address is in its usual slot, and the frame pointer either
// keeps its value (frame_offset 0) or is saved at CFA + frame_offset; for kStack, that is in a word
// between the return addresses of the frame inside and of this one.
struct Row {
  RowKind kind = RowKind::kUnknown;
  int32_t cfa_offset = 0;    // 24 bits
  int32_t frame_offset = 0;  // 32 bits

  bool is_usual() const { return kind == RowKind::kStack || kind == RowKind::kFrame; }

  // The CFA's offset is on top: it is what a walk waits for, and is there with one shift.
  uint64_t packed() const {
    return static_cast<uint64_t>(kind) |
           static_cast<uint64_t>(static_cast<uint32_t>(frame_offset)) << 8 |
           static_cast<uint64_t>(int64_t{cfa_offset}) << 40;
  }
  static Row unpack(uint64_t word) {
    return {static_cast<RowKind>(word & 0xFF),
            static_cast<int32_t>(static_cast<int64_t>(word) >> 40),
            static_cast<int32_t>(static_cast<uint32_t>(word >> 8))};
  }
};

// The condensed form of a set of rules.
Row condense(const Rules& rules, bool signal_frame);

// The row for `pc` from the module's information; kUnknown if there is none.
Row compute_row(uint64_t pc, CfiScratch& scratch);

// Code in [start, end) has been unloaded.
void forget_rows(uint64_t start, uint64_t end);

namespace detail {

struct RowSlot {
  std::atomic<uint64_t> pc;  // 0: free; 1: being filled in; 2: forgotten
  std::atomic<uint64_t> row;
};
struct alignas(64) RowBucket {
  RowSlot slots[4];
};

// Level n has 2^(10 + 3n) buckets: 64 KiB, 512 KiB, 4 MiB.
inline constexpr unsigned kRowLevels = 3;
inline constexpr unsigned kFirstRowBits = 10;
inline constexpr unsigned kRowBitsPerLevel = 3;

struct RowCache {
  std::atomic<RowBucket*> levels[kRowLevels];
};
extern RowCache row_cache __attribute__((visibility("hidden")));

inline RowBucket& row_bucket(RowBucket* buckets, unsigned level, uint64_t pc) {
  uint64_t hash = pc * 0x9E3779B97F4A7C15ull;
  return buckets[hash >> (64 - kFirstRowBits - kRowBitsPerLevel * level)];
}

uint64_t find_row_slowly(uint64_t pc, CfiScratch& scratch);

}  // namespace detail

// The packed row for `pc`, from the cache or computed and kept there.
__attribute__((always_inline)) inline uint64_t row_at(uint64_t pc, CfiScratch& scratch) {
  detail::RowBucket* buckets = detail::row_cache.levels[0].load(std::memory_order_acquire);
  if (__builtin_expect(buckets != nullptr, 1)) {
    for (const detail::RowSlot& slot : detail::row_bucket(buckets, 0, pc).slots) {
      if (slot.pc.load(std::memory_order_acquire) == pc) {
        return slot.row.load(std::memory_order_relaxed);
      }
    }
  }
  return detail::find_row_slowly(pc, scratch);
}

}  // namespace heapledger::runtime
