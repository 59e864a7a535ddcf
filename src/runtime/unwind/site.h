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
inline uint32_t site_of(Window& window, const Caller& caller, uint64_t time) {
  return site_of(window, time, caller.pc, caller.sp, caller.bp);
}

}  // namespace heapledger::runtime
