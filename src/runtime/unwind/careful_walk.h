// The walk that can do everything: any rule, any stack, the depth limit, the end of the stack.
// stack_capture.h turns to it for what its quick walk leaves out.
//
// Every read is within bounds that are known to be mapped. No lock, no allocation; safe in a signal
// handler.
#pragma once

#include <cstdint>

#include "runtime/unwind/stack_memo.h"
#include "runtime/unwind/walker.h"

namespace heapledger::runtime {

struct CarefulWalk {
  uint32_t kept = 0;   // so many of the remembered frames, the outermost, are part of this stack
  uint32_t fresh = 0;  // frames in memo.fresh
  uint32_t uses = 0;   // of the frame pointer, in memo.uses
  StackEnd end = StackEnd::kWhole;  // where none were kept
  uint32_t outside = 0;             // likewise: frames beyond the depth limit, left out
  bool crossed = false;             // it has gone over to another stack
  // The stack was cut only because a rule needs registers beyond pc, sp and bp.
  bool needs_registers = false;
};

// Walks the stack whose innermost frame is in this state, up to a remembered frame from which
// outwards memory agrees, or to the end.
CarefulWalk walk_carefully(StackMemo& memo, const FrameState& state);

}  // namespace heapledger::runtime
