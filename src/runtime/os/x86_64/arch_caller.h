// The registers of a hook's caller, as they are when the hook returns. Only right in a function
// that keeps no frame pointer and has done nothing yet.
#pragma once

#include <cstdint>

#define CALLER_HERE                                                  \
  uint64_t bp;                                                       \
  asm volatile("movq %%rbp, %0" : "=r"(bp));                         \
  auto pc = reinterpret_cast<uint64_t>(__builtin_return_address(0)); \
  auto sp = reinterpret_cast<uint64_t>(__builtin_dwarf_cfa())
