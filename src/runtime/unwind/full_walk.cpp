#include "runtime/unwind/full_walk.h"

#include <arch_capture.h>

#include "runtime/unwind/modules.h"

namespace heapledger::runtime {
namespace {

constexpr uint64_t kPageBytes = 4096;

StackReader reader_at(OwnStack& own, uint64_t sp) {
  bool covered = own.covers(sp);
  return {sp & ~uint64_t{7}, covered ? own.high() : (sp / kPageBytes + 1) * kPageBytes, !covered};
}

// Where there is no unwind information, by the frame pointer; of the other registers nothing is
// known then.
Step step_blindly(Registers& registers, StackReader& stack, CfiScratch& scratch) {
  FrameState state = {registers.value[arch::kReturnAddress], registers.value[arch::kStackPointer],
                      registers.value[arch::kFramePointer]};
  uint64_t row = may_be_replaced(state.pc) ? compute_row(state.pc, scratch).packed()
                                           : row_at(state.pc, scratch);
  bool blind = Row::unpack(row).kind == RowKind::kUnknown;
  if (!blind || !registers.has(arch::kFramePointer)) return Step::kCut;
  Step step = step_by_frame_pointer(state, stack, scratch);
  registers.value[arch::kReturnAddress] = state.pc;
  registers.value[arch::kStackPointer] = state.sp;
  registers.value[arch::kFramePointer] = state.bp;
  registers.known =
      1u << arch::kReturnAddress | 1u << arch::kStackPointer | 1u << arch::kFramePointer;
  return step;
}

}  // namespace

__attribute__((noinline)) FullWalk walk_fully(StackMemo& memo, uint64_t sp) {
  Registers& registers = memo.scratch.registers;
  registers.known = arch::capture_registers(registers.value);
  StackReader stack = reader_at(memo.own, registers.value[arch::kStackPointer]);
  FullWalk walk = {0, StackEnd::kWhole};
  for (;;) {
    uint64_t at = registers.value[arch::kStackPointer];
    bool ours = walk.count == 0 && at < sp;
    if (!ours) {
      if (walk.count == memo.capacity) {
        walk.end = StackEnd::kDepth;
        return walk;
      }
      memo.fresh[walk.count++].pc = registers.value[arch::kReturnAddress];
    }
    Step step = step_by_rules(registers, stack, memo.scratch);
    if (step == Step::kCut) step = step_blindly(registers, stack, memo.scratch);
    if (step != Step::kCaller) {
      walk.end = step == Step::kOutermost ? StackEnd::kWhole : StackEnd::kCut;
      return walk;
    }
    uint64_t next = registers.value[arch::kStackPointer];
    if (next <= stack.low() || next >= stack.high()) stack = reader_at(memo.own, next);
  }
}

}  // namespace heapledger::runtime
