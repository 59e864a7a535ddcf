// The tick counter of x86-64: the time stamp counter, which current processors run at a constant
// rate, the same on all cores. It is not read in strict program order: it may be read some
// nanoseconds early, which the analyzer's pairing allows for.
#pragma once

#include <cpuid.h>
#include <elf.h>

#include <cstdint>

namespace heapledger::runtime::os {

inline constexpr uint32_t kMachine = EM_X86_64;
// 16 ticks of a few GHz: about 5 ns, fine enough to order threads, coarse enough for one byte.
inline constexpr unsigned kTickShift = 4;

// How many of these a time is, roughly: for what is "soon" and "long ago".
constexpr uint64_t rough_units(uint64_t ns) {
  return ns * 17 / 100;
}

inline uint64_t counter_ticks() {
  return __builtin_ia32_rdtsc();
}

// Whether the counter can be trusted as a clock (CPUID 80000007h, "invariant TSC").
inline bool counter_is_steady() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid(0x80000007u, &a, &b, &c, &d) != 0 && (d & (1u << 8)) != 0;
}

}  // namespace heapledger::runtime::os
