// An allocator that asks the kernel for every block, and gives every block back: three system calls
// in a malloc and a free.
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

static const size_t kHeader = 64;

void* malloc(size_t size) {
  char* memory = mmap(NULL, size + kHeader, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return NULL;
  const size_t whole = size + kHeader;
  if (mprotect(memory, whole, PROT_READ | PROT_WRITE) != 0) return NULL;
  memcpy(memory, &whole, sizeof whole);
  return memory + kHeader;
}

void* calloc(size_t count, size_t size) {
  return malloc(count * size);
}

void free(void* block) {
  if (block == NULL) return;
  char* memory = (char*)block - kHeader;
  size_t whole;
  memcpy(&whole, memory, sizeof whole);
  munmap(memory, whole);
}

void* realloc(void* block, size_t size) {
  void* other = malloc(size);
  if (other == NULL || block == NULL) return other;
  size_t whole;
  memcpy(&whole, (char*)block - kHeader, sizeof whole);
  memcpy(other, block, whole - kHeader < size ? whole - kHeader : size);
  free(block);
  return other;
}
