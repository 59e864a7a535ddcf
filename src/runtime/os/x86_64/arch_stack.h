// Where the calling function stands on its stack, without making the compiler keep a frame.
#pragma once

#include <cstdint>

namespace heapledger::runtime::os {

__attribute__((always_inline)) inline uintptr_t stack_position() {
  uintptr_t position;
  asm("mov %%rsp, %0" : "=r"(position));
  return position;
}

// The same, left in a variable.
__attribute__((always_inline)) inline void keep_stack_position(uintptr_t& position) {
  asm volatile("mov %%rsp, %0" : "=m"(position));
}

}  // namespace heapledger::runtime::os
