// Codes: return addresses by small numbers. Each is entered into the ledger once, with its module;
// the chains that describe sites say no more than the number.
//
// Thread safety: everything may be called at any time by any thread. Two that meet a new address at
// once may give it two numbers; readers of the ledger take them for one.
#pragma once

#include <cstdint>

#include "runtime/ledger/window.h"

namespace heapledger::runtime {

struct Code {
  uint32_t number = 0;  // 0: it could not be entered
  uint32_t module = 0;
};

// The code of `pc`, entered into the ledger if it is new.
Code code_at(Window& window, uint64_t pc, uint64_t time);

// Code in [start, end) has been unloaded.
void forget_codes(uint64_t start, uint64_t end);
// After a fork: a new ledger has none yet.
void forget_all_codes();

}  // namespace heapledger::runtime
