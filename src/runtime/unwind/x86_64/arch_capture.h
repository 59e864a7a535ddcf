// Takes the registers that outlive a call, as they are in the calling function, for a full walk
// that starts there.
#pragma once

#include <cstdint>

#include <arch_registers.h>

namespace heapledger::runtime::arch {

// values[] by DWARF number; sets rbx, rbp, rsp, r12-r15 and the address of the next instruction.
// Returns the mask of those set.
__attribute__((always_inline)) inline uint32_t capture_registers(uint64_t* values) {
  asm volatile(
      "movq %%rbx, 24(%0)\n\t"
      "movq %%rbp, 48(%0)\n\t"
      "movq %%rsp, 56(%0)\n\t"
      "movq %%r12, 96(%0)\n\t"
      "movq %%r13, 104(%0)\n\t"
      "movq %%r14, 112(%0)\n\t"
      "movq %%r15, 120(%0)\n\t"
      "leaq 0(%%rip), %%rax\n\t"
      "movq %%rax, 128(%0)"
      :
      : "r"(values)
      : "rax", "memory");
  return kPreserved | 1u << kStackPointer | 1u << kReturnAddress;
}

}  // namespace heapledger::runtime::arch
