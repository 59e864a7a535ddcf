# Marks an executable that has the recorder inside, for `heapledger run`: a note, because it stays
# when symbols are stripped. Owner "Heapledger", type 1, no content.
        .section .note.heapledger, "a", @note
        .p2align 2
        .long   11
        .long   0
        .long   1
        .asciz  "Heapledger"
        .p2align 2

        .section .note.GNU-stack, "", @progbits
