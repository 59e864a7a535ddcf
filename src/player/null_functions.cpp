// The allocator that does nothing: what a play against it takes is the player's own cost.
#include "player/functions.h"
#include "player/world.h"

namespace heapledger::player {
namespace {

alignas(4096) char block[kNullBytes];

void* null_malloc(size_t) {
  return block;
}
void* null_calloc(size_t, size_t) {
  return block;
}
void* null_realloc(void*, size_t) {
  return block;
}
void* null_reallocarray(void*, size_t, size_t) {
  return block;
}
int null_posix_memalign(void** into, size_t, size_t) {
  *into = block;
  return 0;
}
void* null_aligned_alloc(size_t, size_t) {
  return block;
}
void* null_memalign(size_t, size_t) {
  return block;
}
void* null_valloc(size_t) {
  return block;
}
void* null_pvalloc(size_t) {
  return block;
}
void null_free(void*) {}
void null_free_sized(void*, size_t) {}
void null_free_aligned_sized(void*, size_t, size_t) {}

}  // namespace

void use_null_functions() {
  for (size_t at = 0; at < kNullBytes; at += 4096) block[at] = 1;
  functions = {null_malloc,
               null_calloc,
               null_realloc,
               null_reallocarray,
               null_posix_memalign,
               null_aligned_alloc,
               null_memalign,
               null_valloc,
               null_pvalloc,
               null_free,
               null_free_sized,
               null_free_aligned_sized,
               nullptr};
}

}  // namespace heapledger::player
