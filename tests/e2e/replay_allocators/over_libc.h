// An allocator that is libc's, with something done before each call: before(1) when the call
// allocates, before(0) otherwise. Files that include this define `before`.
#pragma once

#include <errno.h>
#include <stddef.h>

static void before(int allocates);

extern void* __libc_malloc(size_t bytes);
extern void* __libc_calloc(size_t count, size_t bytes);
extern void* __libc_realloc(void* block, size_t bytes);
extern void* __libc_memalign(size_t alignment, size_t bytes);
extern void __libc_free(void* block);

void* malloc(size_t bytes) {
  before(1);
  return __libc_malloc(bytes);
}
void* calloc(size_t count, size_t bytes) {
  before(1);
  return __libc_calloc(count, bytes);
}
void* realloc(void* block, size_t bytes) {
  before(1);
  return __libc_realloc(block, bytes);
}
void* memalign(size_t alignment, size_t bytes) {
  before(1);
  return __libc_memalign(alignment, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  return memalign(alignment, bytes);
}
int posix_memalign(void** block, size_t alignment, size_t bytes) {
  void* made = memalign(alignment, bytes);
  if (made == NULL) return ENOMEM;
  *block = made;
  return 0;
}
void free(void* block) {
  before(0);
  __libc_free(block);
}
