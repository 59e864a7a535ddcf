// A system call made by an instruction of the player's own text, x86-64. Who counts the system
// calls of an allocator knows the player's own by that.
#pragma once

namespace heapledger::player {

// The result, or an errno less than zero.
[[gnu::always_inline]] inline long system_call(long number, long a = 0, long b = 0, long c = 0,
                                               long d = 0, long e = 0, long f = 0) {
  register long fourth __asm__("r10") = d;
  register long fifth __asm__("r8") = e;
  register long sixth __asm__("r9") = f;
  long result = 0;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                   : "rcx", "r11", "memory");
  return result;
}

}  // namespace heapledger::player
