// The real allocator, with the one case it cannot know about: blocks of the early arena.
#pragma once

#include <cerrno>
#include <cstring>

#include "runtime/modes/early_arena.h"
#include "runtime/modes/real_heap.h"

namespace heapledger::runtime {

// How many bytes an array takes. False, with errno as libc leaves it, when that overflows.
// reallocarray is built on this and realloc: libc's calls the realloc it finds first, which is
// ours, and the call would be entered twice.
inline bool array_bytes(size_t count, size_t size, size_t& bytes) {
  if (!__builtin_mul_overflow(count, size, &bytes)) return true;
  errno = ENOMEM;
  return false;
}

inline void real_free(void* block) {
  if (!in_early_arena(block)) real_heap.free(block);
}

// A block of the early arena moves to the real heap.
inline void* leave_early_arena(const void* block, size_t size) {
  void* moved = real_heap.malloc(size);
  if (moved == nullptr) return nullptr;
  size_t old_size = early_size(block);
  return memcpy(moved, block, old_size < size ? old_size : size);
}

inline void* real_realloc(void* block, size_t size) {
  if (in_early_arena(block)) return leave_early_arena(block, size);
  return real_heap.realloc(block, size);
}

inline size_t real_usable_size(void* block) {
  return in_early_arena(block) ? early_size(block) : real_heap.malloc_usable_size(block);
}

}  // namespace heapledger::runtime
