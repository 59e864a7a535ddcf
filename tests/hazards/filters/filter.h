// Installing system call filters, and a heap that needs no system call afterwards.
#pragma once

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "account.h"

// Lets libc's heap grow to a size that suffices for the rest, and never shrink.
__attribute__((unused)) static void warm_heap(void) {
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_MMAP_THRESHOLD, 1 << 28);
  mallopt(M_TOP_PAD, 16 << 20);
  give(take(8 << 20));
  churn(1000);
}

// Asks the kernel without libc, so that nobody who watches libc's functions knows.
__attribute__((unused)) static long ask_kernel(long number, long first, long second, long third) {
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "0"(number), "D"(first), "S"(second), "d"(third)
                   : "rcx", "r11", "memory");
  return result;
}

// A filter that allows everything.
__attribute__((unused)) static long allow_all(unsigned flags) {
  struct sock_filter rule = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog filter = {1, &rule};
  require(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no new privileges");
  return ask_kernel(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, (long)&filter);
}

// Allows only what ends a program and what writes to an open descriptor; `otherwise` is done to
// every other call. `by` is "prctl", or "syscall" with `flags`. Returns what the kernel said.
__attribute__((unused)) static long install_filter(const char* by, unsigned otherwise,
                                                   unsigned flags) {
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 4, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, otherwise),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = {sizeof rules / sizeof rules[0], rules};
  require(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no new privileges");
  long result = strcmp(by, "prctl") == 0
                    ? prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)
                    : syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter);
  require(result >= 0, "a filter");
  return result;
}

// Waits for a child and says how it ended.
__attribute__((unused)) static void say_how_it_ended(pid_t child) {
  require(child > 0, "fork");
  int status = 0;
  require(waitpid(child, &status, 0) == child, "the child");
  say("child %s %d\n", WIFEXITED(status) ? "exited" : "was killed",
      WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}
