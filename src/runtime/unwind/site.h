// From where a hook was called to the id of its site: the whole call stack.
#pragma once

#include <cstdint>

#include "runtime/ledger/window.h"

namespace heapledger::runtime {

// Where a hook was called from: the registers as they are when it returns.
struct Caller {
  uint64_t pc;  // return address
  uint64_t sp;
  uint64_t bp;
};

// The id of the stack of `caller`, entered into the ledger with its modules where it is new.
// kNoSite if that is not possible. Called with the window open.
uint32_t site_of(Window& window, uint64_t time, uint64_t pc, uint64_t sp, uint64_t bp);
// The same where the memo is the thread's own already (stack_memo.h).
uint32_t site_in(Window& window, StackMemo& memo, uint64_t time, uint64_t pc, uint64_t sp,
                 uint64_t bp);
inline uint32_t site_of(Window& window, const Caller& caller, uint64_t time) {
  return site_of(window, time, caller.pc, caller.sp, caller.bp);
}

// The sizes that get a stack (stacks-for=); set once at the start. Both kinds of sizes are entered
// alike: those that get none have the one site that says so.
struct StackSizes {
  uint64_t least = 0;
  uint64_t span = ~uint64_t{0};

  void set(uint64_t from, uint64_t to) {
    // None: the one size left over is larger than any block.
    least = from <= to ? from : ~uint64_t{0};
    span = from <= to ? to - from : 0;
  }
  bool hold(uint64_t size) const { return size - least <= span; }
  bool hold_all() const { return least == 0 && span == ~uint64_t{0}; }
};
extern StackSizes stack_sizes __attribute__((visibility("hidden")));

// The site of a block for whose size no stack was asked.
uint32_t site_without_stack(Window& window, uint64_t time);

inline uint32_t site_for(Window& window, uint64_t time, uint64_t size, uint64_t pc, uint64_t sp,
                         uint64_t bp) {
  if (__builtin_expect(!stack_sizes.hold(size), 0)) return site_without_stack(window, time);
  return site_of(window, time, pc, sp, bp);
}
inline uint32_t site_for(Window& window, const Caller& caller, uint64_t time, uint64_t size) {
  return site_for(window, time, size, caller.pc, caller.sp, caller.bp);
}

}  // namespace heapledger::runtime
