// What a call asks for, and what it does, told by its function and its arguments: the forms of
// signatures are here and nowhere else.
#pragma once

#include <cstddef>
#include <cstdint>

#include "format/functions.h"

namespace heapledger::runtime {

enum class Act : uint8_t { kBirth, kDeath, kResize, kQuestion };

constexpr Act act_of(format::Function function) {
  const format::FunctionRow& row = format::row_of(function);
  if (row.resize != format::Kind::kEnd) return Act::kResize;
  if (row.birth != format::Kind::kEnd) return Act::kBirth;
  return row.death != format::Kind::kEnd ? Act::kDeath : Act::kQuestion;
}

struct Asked {
  size_t size;
  size_t alignment;  // 0: none was asked for
};

// How many bytes the sizes of a call make, whatever became of it: an array that is too large for
// any size is as large as can be, and no allocator has that much.
inline size_t bytes_of(size_t size) {
  return size;
}
inline size_t bytes_of(size_t count, size_t size) {
  size_t bytes;
  return __builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX : bytes;
}

// What a call asked for that succeeded: its array was not too large.
template <format::Function>
Asked asked(size_t size) {
  return {size, 0};
}

template <format::Function function>
Asked asked(size_t first, size_t size) {
  if constexpr (format::row_of(function).aligned) return {size, first};
  return {first * size, 0};
}

template <format::Function>
Asked asked(void**, size_t alignment, size_t size) {
  return {size, alignment};
}

template <format::Function function, typename... Sizes>
Asked asked(void*, Sizes... sizes) {
  return asked<function>(sizes...);
}

// The block that a call gave, or null, by its result and its arguments.
template <typename... Arguments>
void* given(void* block, Arguments...) {
  return block;
}
inline void* given(int error, void* const* result, size_t, size_t) {
  return error == 0 ? *result : nullptr;
}

}  // namespace heapledger::runtime
