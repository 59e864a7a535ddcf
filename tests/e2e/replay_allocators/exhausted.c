// libc's allocator, for 1000 blocks: then there is no memory left.
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

extern void* __libc_calloc(size_t count, size_t bytes);
extern void* __libc_realloc(void* block, size_t bytes);
extern void __libc_free(void* block);

static atomic_int blocks;

static int left(void) {
  if (++blocks <= 1000) return 1;
  errno = ENOMEM;
  return 0;
}

void* calloc(size_t count, size_t bytes) {
  return left() ? __libc_calloc(count, bytes) : NULL;
}
void* malloc(size_t bytes) {
  return calloc(1, bytes);
}
void* realloc(void* block, size_t bytes) {
  return left() ? __libc_realloc(block, bytes) : NULL;
}
void free(void* block) {
  __libc_free(block);
}
