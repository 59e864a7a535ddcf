// Where the calling function stands on its stack, without making the compiler keep a frame.
#pragma once

#include <cstdint>

namespace heapledger::runtime::os {

__attribute__((always_inline)) inline uintptr_t stack_position() {
  uintptr_t position;
  asm("mov %%rsp, %0" : "=r"(position));
  return position;
}

}  // namespace heapledger::runtime::os
