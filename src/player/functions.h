// The functions of the allocator under test.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace heapledger::player {

constexpr size_t kPage = 4096;

struct Functions {
  void* (*malloc)(size_t);
  void* (*calloc)(size_t, size_t);
  void* (*realloc)(void*, size_t);
  void* (*reallocarray)(void*, size_t, size_t);
  int (*posix_memalign)(void**, size_t, size_t);
  void* (*aligned_alloc)(size_t, size_t);
  void* (*memalign)(size_t, size_t);
  void* (*valloc)(size_t);
  void* (*pvalloc)(size_t);
  void (*free)(void*);
  void (*free_sized)(void*, size_t);
  void (*free_aligned_sized)(void*, size_t, size_t);
  size_t (*usable_size)(void*);  // for allocators that ask for it by name; NULL: there is none
};

// Which of them the allocator does not have, so that they are made of others.
struct Emulated {
  bool reallocarray;
  bool aligned[3];  // by schedule::Aligned
  bool valloc;
  bool pvalloc;
  bool free_sized;
  bool free_aligned_sized;
};

extern Functions functions;
extern Emulated emulated;

// Where its code is, and nothing when it is the C library's or does nothing. What it calls by name
// it must get from itself, as in a program that has no malloc of its own.
struct CodeRange {
  uintptr_t begin;
  uintptr_t bytes;
  bool has(const void* code) const { return reinterpret_cast<uintptr_t>(code) - begin < bytes; }
};
extern CodeRange allocator_code;

// Finds the functions of the allocator that the arguments name, or ends the run.
void find_functions(const char* allocator, bool any_object);

// The allocator that does nothing: every block is at the one address.
inline constexpr size_t kNullBytes = size_t{1} << 16;
void use_null_functions();

}  // namespace heapledger::player
