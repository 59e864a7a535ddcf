// The registers that a walk of the stack begins with.
#pragma once

#include <cstdint>

// Those right here: the function's own frame is the first of the walk.
#define PLACE_HERE                                                     \
  uint64_t pc;                                                         \
  uint64_t sp;                                                         \
  uint64_t bp;                                                         \
  asm volatile("leaq 0f(%%rip), %0\n0: movq %%rsp, %1\nmovq %%rbp, %2" \
               : "=&r"(pc), "=&r"(sp), "=&r"(bp))

// Those of a hook's caller, as they are when the hook returns. Only right in a function that has
// done nothing yet. Clang gives a function that asks for its CFA a frame pointer, whatever the
// flags say, and so has the caller's saved; with GCC it is still where the caller has it.
#ifdef __clang__
#define CALLER_BP *static_cast<const uint64_t*>(__builtin_frame_address(0))
#else
#define CALLER_BP                                     \
  __extension__({                                     \
    uint64_t caller_bp;                               \
    asm volatile("movq %%rbp, %0" : "=r"(caller_bp)); \
    caller_bp;                                        \
  })
#endif

#define CALLER_HERE                                                  \
  uint64_t bp = CALLER_BP;                                           \
  auto pc = reinterpret_cast<uint64_t>(__builtin_return_address(0)); \
  auto sp = reinterpret_cast<uint64_t>(__builtin_dwarf_cfa())
