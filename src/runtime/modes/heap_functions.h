// The allocation functions that we stand before: a row each. Everything that goes by function is
// made from this table: the modes, the exported hooks, the real heap and both ways to find it, the
// export map (libheapledger.map.in, which is why there is nothing but the preprocessor in here).
//
//   ROW(id, result, name, parameters, arguments)
//
// What a function does, and whether it takes an alignment, is in the row of its `id` in
// format/functions.h; where the size is among its arguments follows from that and from its
// signature (modes/asked.h). The kind of row says where the real one is:
//
//   NEEDED    every allocator has it
//   OPTIONAL  an allocator may lack it; then it is made of others (bootstrap/fill_gaps.cpp)
//   OURS      never asked for: we make it of others
//   RARE      the same, and most libcs lack it
#pragma once

#define HEAPLEDGER_UNPACK(...) __VA_ARGS__
#define HEAPLEDGER_SKIP(...)

#define HEAPLEDGER_HEAP_FUNCTIONS(NEEDED, OPTIONAL, OURS, RARE)                                   \
  NEEDED(kMalloc, void*, malloc, (size_t size), (size))                                           \
  NEEDED(kFree, void, free, (void* block), (block))                                               \
  NEEDED(kCalloc, void*, calloc, (size_t count, size_t size), (count, size))                      \
  NEEDED(kRealloc, void*, realloc, (void* block, size_t size), (block, size))                     \
  OURS(kReallocArray, void*, reallocarray, (void* block, size_t count, size_t size),              \
       (block, count, size))                                                                      \
  OPTIONAL(kPosixMemalign, int, posix_memalign, (void** result, size_t alignment, size_t size),   \
           (result, alignment, size))                                                             \
  OPTIONAL(kAlignedAlloc, void*, aligned_alloc, (size_t alignment, size_t size),                  \
           (alignment, size))                                                                     \
  OPTIONAL(kMemalign, void*, memalign, (size_t alignment, size_t size), (alignment, size))        \
  OPTIONAL(kValloc, void*, valloc, (size_t size), (size))                                         \
  OPTIONAL(kPvalloc, void*, pvalloc, (size_t size), (size))                                       \
  RARE(kFreeSized, void, free_sized, (void* block, size_t size), (block, size))                   \
  RARE(kFreeAlignedSized, void, free_aligned_sized, (void* block, size_t alignment, size_t size), \
       (block, alignment, size))                                                                  \
  OPTIONAL(kUsableSize, size_t, malloc_usable_size, (void* block), (block))

// All of them alike; those that are looked for in the allocator below us.
#define HEAPLEDGER_ALL_FUNCTIONS(X) HEAPLEDGER_HEAP_FUNCTIONS(X, X, X, X)
#define HEAPLEDGER_REAL_FUNCTIONS(X) \
  HEAPLEDGER_HEAP_FUNCTIONS(X, X, HEAPLEDGER_SKIP, HEAPLEDGER_SKIP)
