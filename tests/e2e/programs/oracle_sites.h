// The call sites of the oracle: each is a function of its own with one call in it, so that a
// return address in a ledger can be told to belong to it.
#pragma once

#include <dlfcn.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

namespace oracle {

// In the order of the JSON's by_function.
enum Function : unsigned {
  kMalloc,
  kCalloc,
  kRealloc,
  kReallocArray,
  kPosixMemalign,
  kAlignedAlloc,
  kMemalign,
  kValloc,
  kPvalloc,
  kFree,
  kFreeSized,
  kFreeAlignedSized,
  kFunctions
};

// Keeps the compiler from folding functions that look the same.
#define ORACLE_SITE(number) __asm__ volatile("" ::"i"(number))

template <int number>
[[gnu::noinline]] void* site_malloc(size_t size) {
  ORACLE_SITE(number);
  return malloc(size);
}
template <int number>
[[gnu::noinline]] void* site_calloc(size_t size) {
  ORACLE_SITE(number);
  size_t unit = size % 3 == 0 ? 3 : 1;
  return calloc(size / unit, unit);
}
[[gnu::noinline]] inline void* site_realloc_new(size_t size) {
  return realloc(nullptr, size);
}
[[gnu::noinline]] inline void* site_reallocarray_new(size_t size) {
  return reallocarray(nullptr, size, 1);
}
template <int number>
[[gnu::noinline]] void* site_posix_memalign(size_t size) {
  ORACLE_SITE(number);
  void* block = nullptr;
  return posix_memalign(&block, size_t{32} << number, size) == 0 ? block : nullptr;
}
[[gnu::noinline]] inline void* site_aligned_alloc(size_t size) {
  return aligned_alloc(64, size);
}
[[gnu::noinline]] inline void* site_memalign(size_t size) {
  return memalign(128, size);
}
[[gnu::noinline]] inline void* site_valloc(size_t size) {
  return valloc(size);
}
[[gnu::noinline]] inline void* site_pvalloc(size_t size) {
  return pvalloc(size);
}

template <int number>
[[gnu::noinline]] void* site_realloc(void* block, size_t size) {
  ORACLE_SITE(number);
  return realloc(block, size);
}
[[gnu::noinline]] inline void* site_reallocarray(void* block, size_t size) {
  return reallocarray(block, 1, size);
}

struct TakingSite {
  Function function;
  void* (*call)(size_t);
};
constexpr TakingSite kTaking[] = {
    {kMalloc, site_malloc<0>},
    {kMalloc, site_malloc<1>},
    {kMalloc, site_malloc<2>},
    {kMalloc, site_malloc<3>},
    {kCalloc, site_calloc<0>},
    {kCalloc, site_calloc<1>},
    {kRealloc, site_realloc_new},
    {kReallocArray, site_reallocarray_new},
    {kPosixMemalign, site_posix_memalign<0>},
    {kPosixMemalign, site_posix_memalign<4>},
    {kAlignedAlloc, site_aligned_alloc},
    {kMemalign, site_memalign},
    {kValloc, site_valloc},
    {kPvalloc, site_pvalloc},
};
constexpr unsigned kMalloc0 = 0;
constexpr unsigned kTakingSites = sizeof kTaking / sizeof kTaking[0];

struct ResizingSite {
  Function function;
  void* (*call)(void*, size_t);
};
constexpr ResizingSite kResizing[] = {
    {kRealloc, site_realloc<0>},
    {kRealloc, site_realloc<1>},
    {kReallocArray, site_reallocarray},
};
constexpr unsigned kResizingSites = sizeof kResizing / sizeof kResizing[0];
constexpr unsigned kSites = kTakingSites + kResizingSites;

inline Function function_of(unsigned site) {
  return site < kTakingSites ? kTaking[site].function : kResizing[site - kTakingSites].function;
}

inline uintptr_t start_of(unsigned site) {
  return site < kTakingSites ? reinterpret_cast<uintptr_t>(kTaking[site].call)
                             : reinterpret_cast<uintptr_t>(kResizing[site - kTakingSites].call);
}

inline void* take_at(unsigned site, size_t size) {
  void* block = kTaking[site].call(size);
  if (block == nullptr) abort();
  if (size > 0) *static_cast<char*>(block) = 1;
  return block;
}

inline void* resize_at(unsigned site, void* block, size_t size) {
  void* moved = kResizing[site - kTakingSites].call(block, size);
  if (moved == nullptr) abort();
  return moved;
}

// The two frees of C23 are there when a library has them; else free does their work, and the
// books must not know of them: see Books::freed.
inline void (*sized_free)(void*, size_t);
inline void (*aligned_sized_free)(void*, size_t, size_t);

inline void find_sized_frees() {
  sized_free = reinterpret_cast<void (*)(void*, size_t)>(dlsym(RTLD_DEFAULT, "free_sized"));
  aligned_sized_free =
      reinterpret_cast<void (*)(void*, size_t, size_t)>(dlsym(RTLD_DEFAULT, "free_aligned_sized"));
  if (sized_free == nullptr) sized_free = [](void* block, size_t) { free(block); };
  if (aligned_sized_free == nullptr)
    aligned_sized_free = [](void* block, size_t, size_t) { free(block); };
}

inline void give_by(unsigned function, void* block, size_t size) {
  if (function == kFreeSized) return sized_free(block, size);
  if (function == kFreeAlignedSized) return aligned_sized_free(block, 16, size);
  free(block);
}

inline void* resize_to_nothing(bool array, void* block) {
  return array ? reallocarray(block, 0, 8) : realloc(block, 0);
}

// Calls that fail, or do nothing; `block` may be nullptr and stays as it is.
inline void* fail(unsigned kind, void* block) {
  static volatile size_t huge = SIZE_MAX / 2 + 1;
  void* result = nullptr;
  switch (kind) {
    case 0:
      return malloc(huge);
    case 1:
      return calloc(huge, 4);
    case 2:
      return realloc(block, huge);
    case 3:
      return reallocarray(block, huge, 4);
    case 4:
      return posix_memalign(&result, 24, 100) == 0 ? result : nullptr;
    default:
      free(nullptr);
      return aligned_alloc(64, huge);
  }
}

}  // namespace oracle
