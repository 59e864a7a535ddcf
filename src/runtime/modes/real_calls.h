// The real allocator, with what it cannot know about: blocks of the early arena, and the functions
// that we make of others. libc's reallocarray, for one, calls the realloc it finds first, which is
// ours, and the call would be entered twice.
#pragma once

#include <cerrno>
#include <cstring>

#include "runtime/modes/asked.h"
#include "runtime/modes/early_arena.h"
#include "runtime/modes/real_heap.h"

namespace heapledger::runtime {

// Whether it is a block of the program's heap: those of the early arena are ours.
inline bool is_block(const void* block) {
  return block != nullptr && !in_early_arena(block);
}

template <typename... Sizes>
void real_free(void* block, Sizes...) {
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

inline void* real_realloc(void* block, size_t count, size_t size) {
  size_t bytes;
  if (!__builtin_mul_overflow(count, size, &bytes)) return real_realloc(block, bytes);
  errno = ENOMEM;
  return nullptr;
}

inline size_t real_usable_size(void* block) {
  return in_early_arena(block) ? early_size(block) : real_heap.malloc_usable_size(block);
}

// What `function` does, without us.
template <format::Function function, typename... Arguments>
__attribute__((always_inline)) inline auto real(Arguments... arguments) {
  constexpr Act kAct = act_of(function);
  if constexpr (kAct == Act::kDeath) {
    return real_free(arguments...);
  } else if constexpr (kAct == Act::kResize) {
    return real_realloc(arguments...);
  } else if constexpr (kAct == Act::kQuestion) {
    return real_usable_size(arguments...);
  } else {
    return (real_heap.*kRealMember<function>)(arguments...);
  }
}

}  // namespace heapledger::runtime
