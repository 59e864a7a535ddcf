# The exported syscall(): looks at the number and jumps on, leaving stack and registers as they
# were. A C function would not do: syscall(SYS_vfork) returns twice, and the child would destroy
# the frame that the parent returns through. The numbers that may forbid system calls go to a C
# function that looks at their result, those that start another program to one that looks at it.
#include <syscall_name.h>
        .text
        .globl  HEAPLEDGER_SYSCALL
        .type   HEAPLEDGER_SYSCALL, @function
        .p2align 4
HEAPLEDGER_SYSCALL:
        .cfi_startproc
        endbr64
        cmpl    $317, %edi              # SYS_seccomp
        je      heapledger_filter_syscall
        cmpl    $157, %edi              # SYS_prctl
        je      heapledger_filter_syscall
        cmpl    $59, %edi               # SYS_execve
        je      heapledger_exec_by_syscall
        cmpl    $322, %edi              # SYS_execveat
        je      heapledger_exec_by_syscall
        movq    heapledger_next_syscall(%rip), %rax
        testq   %rax, %rax
        je      1f
        jmp     *%rax
1:      pushq   %rdi
        .cfi_adjust_cfa_offset 8
        pushq   %rsi
        .cfi_adjust_cfa_offset 8
        pushq   %rdx
        .cfi_adjust_cfa_offset 8
        pushq   %rcx
        .cfi_adjust_cfa_offset 8
        pushq   %r8
        .cfi_adjust_cfa_offset 8
        pushq   %r9
        .cfi_adjust_cfa_offset 8
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        call    heapledger_find_syscall
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        popq    %r9
        .cfi_adjust_cfa_offset -8
        popq    %r8
        .cfi_adjust_cfa_offset -8
        popq    %rcx
        .cfi_adjust_cfa_offset -8
        popq    %rdx
        .cfi_adjust_cfa_offset -8
        popq    %rsi
        .cfi_adjust_cfa_offset -8
        popq    %rdi
        .cfi_adjust_cfa_offset -8
        jmp     *%rax
        .cfi_endproc
        .size   HEAPLEDGER_SYSCALL, . - HEAPLEDGER_SYSCALL

        .hidden heapledger_next_syscall
        .hidden heapledger_find_syscall
        .hidden heapledger_filter_syscall
        .hidden heapledger_exec_by_syscall
        .globl  heapledger_next_syscall
        .bss
        .p2align 3
        .type   heapledger_next_syscall, @object
        .size   heapledger_next_syscall, 8
heapledger_next_syscall:
        .zero   8

        .section .note.GNU-stack, "", @progbits
