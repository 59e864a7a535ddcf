// The allocator below us: the next definition of each function in the link chain. Filled in once
// at the start; tests fill in their own.
#pragma once

#include <cstddef>

namespace heapledger::runtime {

struct RealHeap {
  void* (*malloc)(size_t);
  void (*free)(void*);
  void* (*calloc)(size_t, size_t);
  void* (*realloc)(void*, size_t);
  int (*posix_memalign)(void**, size_t, size_t);
  void* (*aligned_alloc)(size_t, size_t);
  void* (*memalign)(size_t, size_t);
  void* (*valloc)(size_t);
  void* (*pvalloc)(size_t);
  size_t (*malloc_usable_size)(void*);
};
extern RealHeap real_heap __attribute__((visibility("hidden")));

}  // namespace heapledger::runtime
