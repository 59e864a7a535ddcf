#include "runtime/bootstrap/next.h"

#include <dlfcn.h>

#include "runtime/os/look_up.h"

// By the linker: the section of all hooks' next definitions. Null where none is linked in.
extern "C" {
extern heapledger::runtime::Next __start_heapledger_next[]
    __attribute__((weak, visibility("hidden")));
extern heapledger::runtime::Next __stop_heapledger_next[]
    __attribute__((weak, visibility("hidden")));
}

namespace heapledger::runtime {

void* next_definition(const char* name) {
  return os::look_up(RTLD_NEXT, name);
}

void* next_definition(Next& next) {
  void* function = next.function.load(std::memory_order_relaxed);
  if (function == nullptr) {
    function = next_definition(next.name);
    next.function.store(function, std::memory_order_relaxed);
  }
  return function;
}

void find_next_definitions() {
  if (!os::looking_up_allocates()) return;
  for (Next* next = __start_heapledger_next; next != __stop_heapledger_next; ++next) {
    next_definition(*next);
  }
}

}  // namespace heapledger::runtime
