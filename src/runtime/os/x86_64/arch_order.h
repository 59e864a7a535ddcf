// In which order others see what was stored: another process that has the ledger's file mapped, and
// whoever reads what is left of it. On x86-64 stores are seen in program order, so all that has to
// be held back is the compiler.
#pragma once

#include <atomic>

namespace heapledger::runtime::os {

// What was stored before is seen no later than what is stored after.
__attribute__((always_inline)) inline void keep_store_order() {
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

}  // namespace heapledger::runtime::os
