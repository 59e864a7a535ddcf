// Adds to a counter in memory with one instruction: a signal handler of the same thread comes
// before or after it, never in between. Other threads must not write to that counter.
#pragma once

#include <cstdint>

namespace heapledger::runtime::os {

// A processor without such an instruction does what add_shared does (os/add_shared.h).
__attribute__((always_inline)) inline void add_own(uint64_t& counter, uint64_t value) {
  asm volatile("addq %1, %0" : "+m"(counter) : "re"(value) : "cc");
}

}  // namespace heapledger::runtime::os
