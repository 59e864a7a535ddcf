// Shared by the two ways a program can install a system call filter: prctl() and syscall().
#pragma once

namespace heapledger::runtime {

extern "C" {
// Where syscall() goes on: set by the first call of heapledger_find_syscall.
extern void* heapledger_next_syscall;

// Called by the exported syscall() when that is not known yet. Returns it.
void* heapledger_find_syscall();

// What the exported syscall() does for SYS_seccomp and SYS_prctl, which have no more arguments.
long heapledger_filter_syscall(long number, unsigned long first, unsigned long second,
                               unsigned long third, unsigned long fourth, unsigned long fifth);
}

}  // namespace heapledger::runtime
