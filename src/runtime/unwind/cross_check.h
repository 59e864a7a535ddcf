// Cross-check mode: every n-th captured stack is compared with what libgcc's _Unwind_Backtrace
// says. For tests and for trust; off unless asked for (HEAPLEDGER="… crosscheck=N").
#pragma once

#include <cstdint>

#include "runtime/ledger/window.h"
#include "runtime/unwind/stack_memo.h"

namespace heapledger::runtime {

// 0: never.
extern uint32_t cross_check_every __attribute__((visibility("hidden")));

// Loads libgcc_s; called once, outside all hooks. Switches the mode off if there is none.
void prepare_cross_check();

// Compares the stack just captured (memo.frames[count], the outermost first) with the reference,
// the frames outside `sp`, if it is this one's turn; counts in the ledger's header and enters
// examples of differences.
void cross_check(Window& window, StackMemo& memo, uint32_t count, uint64_t sp, uint64_t time);

}  // namespace heapledger::runtime
