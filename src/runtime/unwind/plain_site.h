// The site of a plain stack: all its new frames are known to this thread, none of its frames
// depends on the frame pointer, it is on the thread's own stack and not too deep. Nearly all stacks
// are. What is anything else is left to stack_capture.h, which says why both are right.
#pragma once

#include "runtime/unwind/stack_memo.h"

namespace heapledger::runtime {

// kNoSite: it has to be found in another way. What is remembered is true in either case.
uint32_t plain_site(StackMemo& memo, uint64_t pc, uint64_t sp);

// A child that is near its parent in memory, or that the thread has lately met; else kNoSite.
uint32_t site_at_hand(StackMemo& memo, uint32_t parent, uint64_t pc);

}  // namespace heapledger::runtime
