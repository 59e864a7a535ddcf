// Off mode: every call goes straight to the real allocator, and nothing is recorded until somebody
// says so. All it costs is a look at the place where orders from outside appear.
#include "runtime/modes/control.h"
#include "runtime/modes/mode.h"
#include "runtime/modes/real_calls.h"

namespace heapledger::runtime {
namespace {

__attribute__((always_inline)) inline void look() {
  if (__builtin_expect(orders_waiting(), 0)) look_at_orders();
}

}  // namespace

const Mode kOffMode = {
    [](size_t size, uint64_t, uint64_t, uint64_t) {
      look();
      return real_heap.malloc(size);
    },
    [](void* block, uint64_t, uint64_t, uint64_t) {
      look();
      real_free(block);
    },
    [](size_t count, size_t size, uint64_t, uint64_t, uint64_t) {
      look();
      return real_heap.calloc(count, size);
    },
    [](void* block, size_t size, uint64_t, uint64_t, uint64_t) {
      look();
      return real_realloc(block, size);
    },
    [](void* block, size_t count, size_t size, HEAPLEDGER_CALLER) {
      look();
      return kPassThroughMode.reallocarray(block, count, size, pc, sp, bp);
    },
    [](void** result, size_t alignment, size_t size, uint64_t, uint64_t, uint64_t) {
      look();
      return real_heap.posix_memalign(result, alignment, size);
    },
    [](size_t alignment, size_t size, uint64_t, uint64_t, uint64_t) {
      look();
      return real_heap.aligned_alloc(alignment, size);
    },
    [](size_t alignment, size_t size, uint64_t, uint64_t, uint64_t) {
      look();
      return real_heap.memalign(alignment, size);
    },
    [](size_t size, uint64_t, uint64_t, uint64_t) {
      look();
      return real_heap.valloc(size);
    },
    [](size_t size, uint64_t, uint64_t, uint64_t) {
      look();
      return real_heap.pvalloc(size);
    },
    [](void* block, size_t, uint64_t, uint64_t, uint64_t) {
      look();
      real_free(block);
    },
    [](void* block, size_t, size_t, uint64_t, uint64_t, uint64_t) {
      look();
      real_free(block);
    },
    [](void* block, uint64_t, uint64_t, uint64_t) { return real_usable_size(block); },
};

}  // namespace heapledger::runtime
