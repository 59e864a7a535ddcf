// Rows: the unwind rules at one address, condensed to 64 bits and kept in a cache that all threads
// share. A row is looked up by return address and holds for the call before it.
//
// Thread safety: everything may be called at any time by any thread.
#pragma once

#include <arch_registers.h>

#include <cstdint>

#include "runtime/unwind/address_table.h"
#include "runtime/unwind/cfi_rules.h"

namespace heapledger::runtime {

// Nothing is mapped below, nor above.
inline bool may_be_code(uint64_t pc) {
  constexpr uint64_t kFirstAddress = 65536;
  return pc - kFirstAddress < (uint64_t{1} << arch::kAddressBits) - kFirstAddress;
}

enum class RowKind : uint8_t {
  kUnknown = 0,  // no row: nothing is known about the address
  kStack = 1,    // CFA = stack pointer + offset, a positive number of words
  kFrame = 2,    // CFA = frame pointer + offset
  kOutermost = 3,
  kGeneral = 4,  // anything else: the full rules have to be run each time
  kChained = 5,  // as kFrame, in code that nothing is known about but that it was seen to be so
};

// For kStack and kFrame: the return address is in its usual slot, and the frame pointer either
// keeps its value (frame_offset 0) or is saved at CFA + frame_offset; for kStack, that is in a word
// between the return addresses of the frame inside and of this one.
struct Row {
  RowKind kind = RowKind::kUnknown;
  int32_t cfa_offset = 0;    // 24 bits
  int32_t frame_offset = 0;  // 32 bits

  bool is_by_frame_pointer() const { return kind == RowKind::kFrame || kind == RowKind::kChained; }
  bool is_usual() const { return kind == RowKind::kStack || is_by_frame_pointer(); }
  // Whether `pc` can be what the row leads to.
  bool may_lead_to(uint64_t pc) const { return kind != RowKind::kChained || may_be_code(pc); }

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

// 64 KiB, 512 KiB, 4 MiB.
using RowTable = AddressTable<10, 3>;
extern RowTable row_cache __attribute__((visibility("hidden")));

uint64_t find_row_slowly(uint64_t pc, CfiScratch& scratch);

}  // namespace detail

// The packed row for `pc`, from the cache or computed and kept there.
__attribute__((always_inline)) inline uint64_t row_at(uint64_t pc, CfiScratch& scratch) {
  uint64_t row;
  if (__builtin_expect(detail::row_cache.find_near(pc, row), 1)) return row;
  return detail::find_row_slowly(pc, scratch);
}

}  // namespace heapledger::runtime
