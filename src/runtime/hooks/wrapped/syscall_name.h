// The name of the hook in syscall.S (hook_form.h).
#pragma once

#define HEAPLEDGER_SYSCALL __wrap_syscall
