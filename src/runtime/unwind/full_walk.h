// A walk with all registers that outlive calls, from our own frames outwards. Slower than a capture
// by rows, needed for the rare frames whose rules use other registers than the stack and frame
// pointers; also what a capture is compared with in tests.
#pragma once

#include "runtime/unwind/stack_memo.h"

namespace heapledger::runtime {

struct FullWalk {
  uint32_t count;  // frames in memo.fresh, the innermost first
  StackEnd end;
};

// Walks from here; frames inside `sp` (ours) are left out. Uses memo.fresh and memo.scratch.
FullWalk walk_fully(StackMemo& memo, uint64_t sp);

}  // namespace heapledger::runtime
