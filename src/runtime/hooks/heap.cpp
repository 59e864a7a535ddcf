// The exported allocation functions: nothing but a jump into the active mode, with the place they
// were called from. One line each, made from the table in modes/heap_functions.h.
#include <arch_caller.h>
#include <hook_form.h>
#include <malloc.h>

#include <cstdlib>

#include "runtime/modes/mode.h"

// NOLINTBEGIN: names and signatures are libc's.
extern "C" {

#define X(id, result, name, parameters, arguments)                     \
  __attribute__((visibility("default"))) result HEAPLEDGER_HOOK(name)( \
      HEAPLEDGER_UNPACK parameters) noexcept {                         \
    using namespace heapledger::runtime;                               \
    const Mode* mode = active_mode.load(std::memory_order_acquire);    \
    CALLER_HERE;                                                       \
    return mode->name(HEAPLEDGER_UNPACK arguments, pc, sp, bp);        \
  }
HEAPLEDGER_ALL_FUNCTIONS(X)
#undef X

}  // extern "C"
// NOLINTEND
