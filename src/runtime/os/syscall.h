// System calls without libc: what the architecture has for it, and arguments that are pointers.
#pragma once

#include <arch_syscall.h>

namespace heapledger::runtime::os {

inline long address(const void* pointer) {
  return reinterpret_cast<long>(pointer);
}

}  // namespace heapledger::runtime::os
