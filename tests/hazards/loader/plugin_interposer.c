// Another library that puts itself before malloc and free, as many tools do: it counts the calls
// and says so at the end. It must work before and behind us.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static long mallocs, frees;
static void* (*next_malloc)(size_t);
static void (*next_free)(void*);

void* malloc(size_t bytes) {
  if (next_malloc == NULL) next_malloc = (void* (*)(size_t))dlsym(RTLD_NEXT, "malloc");
  __atomic_fetch_add(&mallocs, bytes == 4321, __ATOMIC_RELAXED);
  return next_malloc(bytes);
}

void free(void* block) {
  if (next_free == NULL) next_free = (void (*)(void*))dlsym(RTLD_NEXT, "free");
  __atomic_fetch_add(&frees, block != NULL, __ATOMIC_RELAXED);
  next_free(block);
}

__attribute__((destructor)) static void tell(void) {
  char line[100];
  int length = snprintf(line, sizeof line, "interposer: %ld mallocs of 4321 bytes\n", mallocs);
  if (write(2, line, (size_t)length) != length) _exit(95);
}
