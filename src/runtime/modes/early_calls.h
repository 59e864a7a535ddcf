// What the functions do while the real allocator is being looked up, by dlsym's own calls or by
// another thread: blocks come from the early arena, and none ever goes back.
#pragma once

#include <cerrno>
#include <cstring>

#include "runtime/modes/asked.h"
#include "runtime/modes/early_arena.h"

namespace heapledger::runtime {

template <format::Function function>
void* early_block(const Asked& asked) {
  constexpr size_t kPage = 4096;
  size_t size = asked.size;
  size_t alignment = asked.alignment;
  if (function == format::Function::kValloc || function == format::Function::kPvalloc) {
    alignment = kPage;
  }
  if (function == format::Function::kPvalloc) size = (size + kPage - 1) & ~(kPage - 1);
  void* block = early_allocate(size, alignment);
  if (block == nullptr) errno = ENOMEM;
  return block;
}

template <format::Function function>
void* early_birth(size_t size) {
  return early_block<function>({size, 0});
}

template <format::Function function>
void* early_birth(size_t first, size_t size) {
  constexpr bool kAligned = format::row_of(function).aligned;
  return early_block<function>(kAligned ? Asked{size, first} : Asked{bytes_of(first, size), 0});
}

template <format::Function function>
int early_birth(void** result, size_t alignment, size_t size) {
  *result = early_block<function>({size, alignment});
  return *result == nullptr ? ENOMEM : 0;
}

template <format::Function function, typename... Sizes>
void* early_resize(void* block, Sizes... sizes) {
  size_t size = bytes_of(sizes...);
  void* moved = early_block<function>({size, 0});
  if (moved == nullptr || !in_early_arena(block)) return moved;
  size_t old_size = early_size(block);
  return memcpy(moved, block, old_size < size ? old_size : size);
}

inline size_t early_answer(const void* block) {
  return in_early_arena(block) ? early_size(block) : 0;
}

template <format::Function function, typename... Arguments>
auto early(Arguments... arguments) {
  constexpr Act kAct = act_of(function);
  if constexpr (kAct == Act::kBirth) {
    return early_birth<function>(arguments...);
  } else if constexpr (kAct == Act::kResize) {
    return early_resize<function>(arguments...);
  } else if constexpr (kAct == Act::kQuestion) {
    return early_answer(arguments...);
  }
}

}  // namespace heapledger::runtime
