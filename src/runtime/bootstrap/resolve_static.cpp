// In a fully static program nothing has to be looked up: the linker's --wrap gives the real
// functions names of their own (hooks/wrapped/hook_form.h).
#include "runtime/bootstrap/next.h"
#include "runtime/bootstrap/resolve.h"
#include "runtime/modes/real_heap.h"

// NOLINTBEGIN: the linker's names. Weak, where an allocator that the program brings may have none:
// libc's must not be pulled in beside it.
extern "C" {
#define X(id, result, name, parameters, arguments) result __real_##name parameters;
#define WEAK(...) __attribute__((weak)) X(__VA_ARGS__)
HEAPLEDGER_HEAP_FUNCTIONS(X, WEAK, HEAPLEDGER_SKIP, HEAPLEDGER_SKIP)
#undef WEAK
#undef X
extern char __libc_single_threaded __attribute__((weak));
}
// NOLINTEND

namespace heapledger::runtime {

bool resolve_real_heap() {
#define X(id, result, name, parameters, arguments) real_heap.name = __real_##name;
  HEAPLEDGER_REAL_FUNCTIONS(X)
#undef X
  return fill_gaps(real_heap);
}

const char* load_real_heap(const char*) {
  return "a static program cannot load it; link it in instead";
}

const void* find_single_thread_word() {
  return &__libc_single_threaded;
}

// The linker has seen to it.
void find_bypass() {}
void find_next_definitions() {}

const BypassText& bypass() {
  static constinit BypassText nothing;
  return nothing;
}

const char* real_heap_library() {
  return "";
}

}  // namespace heapledger::runtime
