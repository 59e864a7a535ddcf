// The mode that does nothing: for a process whose ledger could not be made.
#include "runtime/modes/mode.h"
#include "runtime/modes/real_calls.h"

namespace heapledger::runtime {

constinit RealHeap real_heap = {};

const Mode kPassThroughMode = {
    [](size_t size, uint64_t, uint64_t, uint64_t) { return real_heap.malloc(size); },
    [](void* block, uint64_t, uint64_t, uint64_t) { real_free(block); },
    [](size_t count, size_t size, uint64_t, uint64_t, uint64_t) {
      return real_heap.calloc(count, size);
    },
    [](void* block, size_t size, uint64_t, uint64_t, uint64_t) {
      return real_realloc(block, size);
    },
    [](void* block, size_t count, size_t size, uint64_t, uint64_t, uint64_t) -> void* {
      size_t bytes;
      return array_bytes(count, size, bytes) ? real_realloc(block, bytes) : nullptr;
    },
    [](void** result, size_t alignment, size_t size, uint64_t, uint64_t, uint64_t) {
      return real_heap.posix_memalign(result, alignment, size);
    },
    [](size_t alignment, size_t size, uint64_t, uint64_t, uint64_t) {
      return real_heap.aligned_alloc(alignment, size);
    },
    [](size_t alignment, size_t size, uint64_t, uint64_t, uint64_t) {
      return real_heap.memalign(alignment, size);
    },
    [](size_t size, uint64_t, uint64_t, uint64_t) { return real_heap.valloc(size); },
    [](size_t size, uint64_t, uint64_t, uint64_t) { return real_heap.pvalloc(size); },
    [](void* block, size_t, uint64_t, uint64_t, uint64_t) { real_free(block); },
    [](void* block, size_t, size_t, uint64_t, uint64_t, uint64_t) { real_free(block); },
    [](void* block, uint64_t, uint64_t, uint64_t) { return real_usable_size(block); },
};

}  // namespace heapledger::runtime
