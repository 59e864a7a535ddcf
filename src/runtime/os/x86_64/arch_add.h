// Changes a word in memory with one instruction: a signal handler of the same thread comes before
// or after it, never in between. Other threads must not write to that word.
#pragma once

#include <cstdint>

namespace heapledger::runtime::os {

// A processor without such an instruction does what add_shared does (os/add_shared.h).
__attribute__((always_inline)) inline void add_own(uint64_t& counter, uint64_t value) {
  asm volatile("addq %1, %0" : "+m"(counter) : "re"(value) : "cc");
}

// Returns what it is then.
__attribute__((always_inline)) inline uint64_t add_own_and_get(uint64_t& counter, uint64_t value) {
  uint64_t before = value;
  asm volatile("xaddq %1, %0" : "+m"(counter), "+r"(before) : : "cc");
  return before + value;
}

// If the word is `expected`, it becomes `wanted`; else `expected` becomes what it is.
template <typename Word>
__attribute__((always_inline)) inline bool exchange_own(Word& word, Word& expected, Word wanted) {
  bool done;
  asm volatile("cmpxchg %3, %0"
               : "+m"(word), "+a"(expected), "=@ccz"(done)
               : "r"(wanted)
               : "memory");
  return done;
}

}  // namespace heapledger::runtime::os
