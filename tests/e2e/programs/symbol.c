// Uses one function of malloc's family, named by its argument, 50 times with sizes from 100 to 149
// bytes (the aligned ones: 64 bytes aligned), and frees 20 of the blocks. For the functions that
// free, 50 blocks come from malloc and the function frees 20 of them.
#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kBlocks = 50, kFreed = 20 };

static void* take(const char* function, size_t bytes) {
  void* block = NULL;
  if (strcmp(function, "calloc") == 0) return calloc(1, bytes);
  if (strcmp(function, "realloc") == 0) return realloc(NULL, bytes);
  if (strcmp(function, "reallocarray") == 0) return reallocarray(NULL, bytes, 1);
  if (strcmp(function, "posix_memalign") == 0)
    return posix_memalign(&block, 64, bytes) == 0 ? block : NULL;
  if (strcmp(function, "aligned_alloc") == 0) return aligned_alloc(64, bytes);
  if (strcmp(function, "memalign") == 0) return memalign(64, bytes);
  if (strcmp(function, "valloc") == 0) return valloc(bytes);
  if (strcmp(function, "pvalloc") == 0) return pvalloc(bytes);
  return malloc(bytes);
}

static void give(const char* function, void* block, size_t bytes) {
  void* found = strcmp(function, "free_sized") == 0 || strcmp(function, "free_aligned_sized") == 0
                    ? dlsym(RTLD_DEFAULT, function)
                    : NULL;
  if (found == NULL)
    free(block);
  else if (strcmp(function, "free_sized") == 0)
    ((void (*)(void*, size_t))found)(block, bytes);
  else
    ((void (*)(void*, size_t, size_t))found)(block, 16, bytes);
}

int main(int count, char** arguments) {
  if (count != 2) return 2;
  void* blocks[kBlocks];
  for (size_t i = 0; i < kBlocks; ++i) {
    blocks[i] = take(arguments[1], 100 + i);
    if (blocks[i] == NULL) return 3;
    memset(blocks[i], 1, 100 + i);
    if (malloc_usable_size(blocks[i]) < 100 + i) return 4;
  }
  for (size_t i = 0; i < kFreed; ++i) give(arguments[1], blocks[i], 100 + i);
  return write(1, "done\n", 5) == 5 ? 0 : 5;
}
