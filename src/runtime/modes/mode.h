// A mode is what the runtime does on each call: one function per hooked symbol. The exported
// symbols jump through the active mode, each with the place it was called from.
//
// This table drives everything that goes by symbol: the mode structure below, the exported
// shims (hooks/heap.cpp) and their initial state (bootstrap/). X(result, name, parameters,
// arguments)
#pragma once

#include <atomic>
#include <cstddef>

#include "runtime/unwind/site.h"

#define HEAPLEDGER_UNPACK(...) __VA_ARGS__
// Where the hook was called from, as parameters: a Caller by value would go through memory.
#define HEAPLEDGER_CALLER uint64_t pc, uint64_t sp, uint64_t bp
#define HEAPLEDGER_HEAP_FUNCTIONS(X)                                                     \
  X(void*, malloc, (size_t size), (size))                                                \
  X(void, free, (void* block), (block))                                                  \
  X(void*, calloc, (size_t count, size_t size), (count, size))                           \
  X(void*, realloc, (void* block, size_t size), (block, size))                           \
  X(void*, reallocarray, (void* block, size_t count, size_t size), (block, count, size)) \
  X(int, posix_memalign, (void** result, size_t alignment, size_t size),                 \
    (result, alignment, size))                                                           \
  X(void*, aligned_alloc, (size_t alignment, size_t size), (alignment, size))            \
  X(void*, memalign, (size_t alignment, size_t size), (alignment, size))                 \
  X(void*, valloc, (size_t size), (size))                                                \
  X(void*, pvalloc, (size_t size), (size))                                               \
  X(void, free_sized, (void* block, size_t size), (block, size))                         \
  X(void, free_aligned_sized, (void* block, size_t alignment, size_t size),              \
    (block, alignment, size))                                                            \
  X(size_t, malloc_usable_size, (void* block), (block))

namespace heapledger::runtime {

struct Mode {
#define X(result, name, parameters, arguments) \
  result (*name)(HEAPLEDGER_UNPACK parameters, HEAPLEDGER_CALLER);
  HEAPLEDGER_HEAP_FUNCTIONS(X)
#undef X
};

extern std::atomic<const Mode*> active_mode __attribute__((visibility("hidden")));

extern const Mode kTraceMode;        // every call is entered (modes/trace.cpp)
extern const Mode kCountMode;        // every call is counted (modes/count.cpp)
extern const Mode kLogMode;          // every call is a line of text (modes/log.cpp)
extern const Mode kOffMode;          // nothing is, until told otherwise (modes/off.cpp)
extern const Mode kSampleBytesMode;  // a random choice of calls is entered (modes/sample.cpp) …
extern const Mode kSampleCallsMode;  // … by the bytes they ask for, or by their number
extern const Mode kLiveMode;         // what is alive is kept (modes/live.cpp) …
extern const Mode kLiveBytesMode;    // … or a random choice of it, by bytes …
extern const Mode kLiveCallsMode;    // … or by calls
extern const Mode kLivePausedMode;   // nothing new is; what is known is still seen to end
extern const Mode kPassThroughMode;  // nothing ever is (modes/pass_through.cpp)

}  // namespace heapledger::runtime
