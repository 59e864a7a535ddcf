// The moment at which every tool looks at a program for leaks: LeakSanitizer and Valgrind if the
// program runs with them, and whoever wants to from outside while it waits for its input to end.
#pragma once

#include <pthread.h>
#include <string.h>
#include <unistd.h>
#include <valgrind/memcheck.h>

#ifdef __cplusplus
extern "C" {
#endif

__attribute__((weak)) int __lsan_do_recoverable_leak_check(void);

#define SITE __attribute__((noinline)) static

// Overwrites what calls have left below the stack pointer.
SITE void clobber_stack(void) {
  char used[32768];
  memset(used, 0x5a, sizeof used);
  __asm__ volatile("" : : "r"(used) : "memory");
}

static void* clobber_in_thread(void* unused) {
  clobber_stack();
  return unused;
}

// Runs `make` in a thread of its own that has ended, and whose stack was used again since: no
// pointer that it did not store is left.
SITE void in_a_thread_that_ends(void* (*make)(void*)) {
  pthread_t thread;
  pthread_create(&thread, NULL, make, NULL);
  pthread_join(thread, NULL);
  pthread_create(&thread, NULL, clobber_in_thread, NULL);
  pthread_join(thread, NULL);
}

// `in_register` stays in a register that calls preserve, while everybody looks.
SITE void checkpoint(void* in_register) {
  clobber_stack();
  __asm__ volatile("" : "+b"(in_register));
  if (__lsan_do_recoverable_leak_check) __lsan_do_recoverable_leak_check();
  VALGRIND_DO_LEAK_CHECK;
  char one = '!';
  if (write(1, &one, 1) != 1) _exit(3);
  // The system call itself, so that nothing between here and it puts the register elsewhere.
  long got = 0;
  __asm__ volatile("syscall"
                   : "=a"(got)
                   : "a"(0), "D"(0), "S"(&one), "d"(1), "b"(in_register)
                   : "rcx", "r11", "memory");
  _exit(0);
}

#ifdef __cplusplus
}
#endif
