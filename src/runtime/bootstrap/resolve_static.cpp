// In a fully static program nothing has to be looked up: the linker's --wrap gives the real
// functions names of their own (hooks/wrapped/hook_form.h).
#include "runtime/bootstrap/resolve.h"
#include "runtime/modes/real_heap.h"

// NOLINTBEGIN: the linker's names. Weak, where an allocator that the program brings may have none:
// libc's must not be pulled in beside it.
extern "C" {
void* __real_malloc(size_t size);
void __real_free(void* block);
void* __real_calloc(size_t count, size_t size);
void* __real_realloc(void* block, size_t size);
__attribute__((weak)) int __real_posix_memalign(void** result, size_t alignment, size_t size);
__attribute__((weak)) void* __real_aligned_alloc(size_t alignment, size_t size);
__attribute__((weak)) void* __real_memalign(size_t alignment, size_t size);
__attribute__((weak)) void* __real_valloc(size_t size);
__attribute__((weak)) void* __real_pvalloc(size_t size);
__attribute__((weak)) size_t __real_malloc_usable_size(void* block);
}
// NOLINTEND

namespace heapledger::runtime {

bool resolve_real_heap() {
  real_heap.malloc = __real_malloc;
  real_heap.free = __real_free;
  real_heap.calloc = __real_calloc;
  real_heap.realloc = __real_realloc;
  real_heap.posix_memalign = __real_posix_memalign;
  real_heap.aligned_alloc = __real_aligned_alloc;
  real_heap.memalign = __real_memalign;
  real_heap.valloc = __real_valloc;
  real_heap.pvalloc = __real_pvalloc;
  real_heap.malloc_usable_size = __real_malloc_usable_size;
  return fill_gaps(real_heap);
}

const char* load_real_heap(const char*) {
  return "a static program cannot load it; link it in instead";
}

// The linker has seen to it.
void find_bypass() {}

const BypassText& bypass() {
  static constinit BypassText nothing;
  return nothing;
}

const char* real_heap_library() {
  return "";
}

}  // namespace heapledger::runtime
