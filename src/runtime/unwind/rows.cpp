#include "runtime/unwind/rows.h"

#include "runtime/unwind/modules.h"

namespace heapledger::runtime {

constinit detail::RowTable detail::row_cache = {};

namespace {

bool fits(int64_t value, unsigned bits) {
  return value >= -(int64_t{1} << (bits - 1)) && value < int64_t{1} << (bits - 1);
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
  uint64_t row;
  if (row_cache.find(pc, row)) return row;
  row = compute_row(pc, scratch).packed();
  // Ignorance is not kept: a module may be loaded there later.
  if (Row::unpack(row).kind != RowKind::kUnknown) row_cache.keep(pc, row);
  return row;
}

void forget_rows(uint64_t start, uint64_t end) {
  detail::row_cache.forget_range(start, end);
}

}  // namespace heapledger::runtime
