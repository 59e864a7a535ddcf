// Shared by the two ways a program can install a system call filter: prctl() and syscall().
#pragma once

namespace heapledger::runtime {

void notice_prctl(int option, unsigned long mode, const void* filter);

extern "C" {
// Where syscall() goes on: set by the first call of heapledger_notice_syscall.
extern void* heapledger_next_syscall;

// Called by the exported syscall() for the numbers that matter and for the first call of any.
// Returns the next definition of syscall().
void* heapledger_notice_syscall(long number, unsigned long first, unsigned long second,
                                unsigned long third);
}

}  // namespace heapledger::runtime
