#include "runtime/bootstrap/resolve.h"

#include <dlfcn.h>

#include "runtime/modes/real_heap.h"

namespace heapledger::runtime {
namespace {

template <typename Function>
bool resolve(Function& function, const char* name) {
  function = reinterpret_cast<Function>(next_definition(name));
  return function != nullptr;
}

}  // namespace

void* next_definition(const char* name) {
  return dlsym(RTLD_NEXT, name);
}

bool resolve_real_heap() {
  // Not free_sized and free_aligned_sized: most libcs have none, free does as well, and a dlsym
  // that fails leaves an error text behind that somebody's dlsym will free, through an allocator
  // that may be calling dlsym itself at that moment.
  resolve(real_heap.valloc, "valloc");
  resolve(real_heap.pvalloc, "pvalloc");
  return resolve(real_heap.malloc, "malloc") && resolve(real_heap.free, "free") &&
         resolve(real_heap.calloc, "calloc") && resolve(real_heap.realloc, "realloc") &&
         resolve(real_heap.posix_memalign, "posix_memalign") &&
         resolve(real_heap.aligned_alloc, "aligned_alloc") &&
         resolve(real_heap.memalign, "memalign") &&
         resolve(real_heap.malloc_usable_size, "malloc_usable_size");
}

}  // namespace heapledger::runtime
