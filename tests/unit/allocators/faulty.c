// An allocator that breaks one of its promises, which FAULT names. Blocks are never used again.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { kForgets = 1, kDirty, kMisaligned, kClears, kFaultless };

static _Alignas(4096) char memory[64 << 20];
static size_t used;

// Behind a number that is its size.
static void* piece(size_t alignment, size_t size) {
  const size_t whole = 16 + alignment + size;
  const uintptr_t at = (uintptr_t)memory + __atomic_fetch_add(&used, whole, __ATOMIC_RELAXED);
  char* block = (char*)((at + 16 + alignment - 1) / alignment * alignment);
  if (block + size > memory + sizeof memory) return NULL;
  memcpy(block - 16, &size, sizeof size);
  return block;
}

void* malloc(size_t size) {
  if (FAULT == kMisaligned && size == 40) return (char*)piece(16, size + 8) + 8;
  return piece(16, size);
}

// By its name, as in many an allocator.
void* calloc(size_t count, size_t size) {
  void* block = malloc(count * size);
  return block == NULL ? NULL : memset(block, FAULT == kDirty ? 7 : 0, count * size);
}

void free(void* block) {
  (void)block;
}

void* realloc(void* block, size_t size) {
  void* other = malloc(size);
  if (other == NULL || block == NULL) return other;
  size_t old;
  memcpy(&old, (char*)block - 16, sizeof old);
  if (FAULT == kForgets) old = old > 8 ? old - 8 : 0;
  memcpy(other, block, old < size ? old : size);
  if (FAULT == kClears) memset(memory, 0, (size_t)((char*)other - memory) - 16);
  return other;
}

void* memalign(size_t alignment, size_t size) {
  return piece(FAULT == kMisaligned ? 16 : alignment < 16 ? 16 : alignment, size);
}
