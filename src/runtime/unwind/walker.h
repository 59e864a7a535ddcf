// One step outwards: from the registers in a frame to those of its caller. A pure function of
// registers, unwind rules and a way to read the stack.
#pragma once

#include <arch_registers.h>

#include <cstdint>

#include "runtime/unwind/cfi_expression.h"
#include "runtime/unwind/rows.h"
#include "runtime/unwind/stack_reader.h"

namespace heapledger::runtime {

// A frame as far as nearly all unwind rules care. `pc` is a return address; for the code that
// a signal interrupted, it is the interrupted address plus one, so that pc - 1 is always inside
// the instruction that counts.
struct FrameState {
  uint64_t pc;
  uint64_t sp;
  uint64_t bp;
  bool operator==(const FrameState&) const = default;
};

enum class Step : uint8_t {
  kCaller,          // the state is now the caller's
  kOutermost,       // there is no caller: the stack is whole
  kCut,             // nothing is known about this frame, or its data makes no sense
  kNeedsRegisters,  // the rules need registers that are not in a FrameState
};

// By a row of kind kStack or kFrame. `frame_slot` is where the frame pointer was saved, or 0.
// The return address is read from arch::kReturnSlot at state.sp of the new state.
__attribute__((always_inline)) inline Step step_by_row(Row row, StackReader& stack,
                                                       FrameState& state, uint64_t& frame_slot) {
  uint64_t base = row.kind == RowKind::kStack ? state.sp : state.bp;
  uint64_t cfa = base + static_cast<uint64_t>(int64_t{row.cfa_offset});
  uint64_t back;
  // The caller's frame is further out, or this is no stack.
  if (__builtin_expect(cfa <= state.sp, 0) ||
      !stack.read(cfa + static_cast<uint64_t>(arch::kReturnSlot), back))
    return Step::kCut;
  frame_slot = 0;
  if (row.frame_offset != 0) {
    frame_slot = cfa + static_cast<uint64_t>(int64_t{row.frame_offset});
    if (!stack.read(frame_slot, state.bp)) return Step::kCut;
  }
  state.pc = back;
  state.sp = cfa;
  return back == 0 ? Step::kOutermost : Step::kCaller;
}

// By the full rules at registers' pc, whatever they are. On kCaller `registers` are the caller's.
Step step_by_rules(Registers& registers, StackReader& stack, CfiScratch& scratch);

// The same for a state with only pc, sp and bp known.
Step step_by_rules(FrameState& state, StackReader& stack, CfiScratch& scratch);

// Where nothing is known about a frame: by its frame pointer, if that looks like one and leads,
// over any number of further such frames (up to 64), to code about which something is known. Else
// kCut.
Step step_by_frame_pointer(FrameState& state, StackReader& stack, CfiScratch& scratch);

}  // namespace heapledger::runtime
