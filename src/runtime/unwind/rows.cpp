#include "runtime/unwind/rows.h"

#include "runtime/unwind/modules.h"
#include "runtime/unwind/shared_memory.h"

namespace heapledger::runtime {

constinit detail::RowCache detail::row_cache = {};

namespace {

using detail::kRowLevels;
using detail::row_bucket;
using detail::row_cache;
using detail::RowBucket;
using detail::RowSlot;

constexpr uint64_t kBeingFilled = 1;
constexpr uint64_t kForgotten = 2;

size_t level_bytes(unsigned level) {
  return sizeof(RowBucket) << (detail::kFirstRowBits + detail::kRowBitsPerLevel * level);
}

bool fits(int64_t value, unsigned bits) {
  return value >= -(int64_t{1} << (bits - 1)) && value < int64_t{1} << (bits - 1);
}

// Claims a free slot and fills it in; false if the slot is taken.
bool keep_in(RowSlot& slot, uint64_t pc, uint64_t row) {
  uint64_t seen = slot.pc.load(std::memory_order_relaxed);
  if (seen != 0 && seen != kForgotten) return false;
  if (!slot.pc.compare_exchange_strong(seen, kBeingFilled, std::memory_order_acquire)) return false;
  slot.row.store(row, std::memory_order_relaxed);
  slot.pc.store(pc, std::memory_order_release);
  return true;
}

void keep(uint64_t pc, uint64_t row) {
  for (unsigned level = 0; level < kRowLevels; ++level) {
    RowBucket* buckets = provide(row_cache.levels[level], level_bytes(level));
    if (buckets == nullptr) return;
    for (RowSlot& slot : row_bucket(buckets, level, pc).slots) {
      if (keep_in(slot, pc, row)) return;
    }
  }
}

}  // namespace

Row condense(const Rules& rules, bool signal_frame) {
  const Rule& back = rules.registers[arch::kReturnAddress];
  const Rule& frame = rules.registers[arch::kFramePointer];
  if (back.kind == RuleKind::kUndefined) return {RowKind::kOutermost, 0, 0};
  Row row = {RowKind::kGeneral, 0, 0};
  bool usual = !signal_frame && back.kind == RuleKind::kOffset && back.value == arch::kReturnSlot &&
               rules.cfa.kind == RuleKind::kOffset && fits(rules.cfa.value, 24) &&
               rules.registers[arch::kStackPointer].kind == RuleKind::kSame;
  bool saved = frame.kind == RuleKind::kOffset && frame.value != 0 && fits(frame.value, 32);
  if (!usual || (!saved && frame.kind != RuleKind::kSame)) return row;
  if (rules.cfa_register == arch::kStackPointer) {
    // Callers are further out, and stacks keep to words.
    if (rules.cfa.value <= 0 || rules.cfa.value % 8 != 0) return row;
    // Right below the stack pointer is the last it may be: after `leave` the rule still says so.
    bool inside =
        frame.value >= arch::kReturnSlot - rules.cfa.value && frame.value < arch::kReturnSlot;
    if (saved && (!inside || frame.value % 8 != 0)) return row;
    row.kind = RowKind::kStack;
  } else if (rules.cfa_register == arch::kFramePointer) {
    row.kind = RowKind::kFrame;
  } else {
    return row;
  }
  row.cfa_offset = static_cast<int32_t>(rules.cfa.value);
  row.frame_offset = saved ? static_cast<int32_t>(frame.value) : 0;
  return row;
}

Row compute_row(uint64_t pc, CfiScratch& scratch) {
  CfiModule module;
  CfiFunction function;
  if (pc == 0 || !cfi_module_at(pc - 1, module) || !find_cfi(module, pc - 1, function)) return {};
  if (!run_cfi(function, pc - 1, module, scratch, scratch.rules)) return {};
  return condense(scratch.rules, function.signal_frame);
}

uint64_t detail::find_row_slowly(uint64_t pc, CfiScratch& scratch) {
  for (unsigned level = 1; level < kRowLevels; ++level) {
    RowBucket* buckets = row_cache.levels[level].load(std::memory_order_acquire);
    if (buckets == nullptr) break;
    for (const RowSlot& slot : row_bucket(buckets, level, pc).slots) {
      if (slot.pc.load(std::memory_order_acquire) == pc) {
        return slot.row.load(std::memory_order_relaxed);
      }
    }
  }
  uint64_t row = compute_row(pc, scratch).packed();
  // Ignorance is not kept: a module may be loaded there later.
  if (Row::unpack(row).kind != RowKind::kUnknown) keep(pc, row);
  return row;
}

void forget_rows(uint64_t start, uint64_t end) {
  for (unsigned level = 0; level < kRowLevels; ++level) {
    RowBucket* buckets = row_cache.levels[level].load(std::memory_order_acquire);
    if (buckets == nullptr) continue;
    for (size_t i = 0; i < level_bytes(level) / sizeof(RowBucket); ++i) {
      for (RowSlot& slot : buckets[i].slots) {
        uint64_t pc = slot.pc.load(std::memory_order_relaxed);
        if (pc > start && pc <= end) slot.pc.store(kForgotten, std::memory_order_release);
      }
    }
  }
}

}  // namespace heapledger::runtime
