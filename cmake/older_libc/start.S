// Where a program begins that is to start on old glibcs as well. Those leave it to the program to run its own
// initialisers, and those of today leave it to one that brings a function for it.
        .text
        .globl  _start
        .type   _start, @function
_start:
        .cfi_startproc
        .cfi_undefined rip
        xorl    %ebp, %ebp
        movq    %rdx, %r9                     // what the loader wants to be run at the end
        popq    %rsi                          // how many words
        movq    %rsp, %rdx                    // the words
        andq    $-16, %rsp
        pushq   %rax
        pushq   %rsp                          // the end of the stack
        xorl    %r8d, %r8d                    // the loader runs what is to be run at the end
        leaq    heapledger_initialise(%rip), %rcx
        movq    main@GOTPCREL(%rip), %rdi
        call    *__libc_start_main@GOTPCREL(%rip)
        hlt
        .cfi_endproc
        .size   _start, . - _start
        .section .note.GNU-stack,"",@progbits
