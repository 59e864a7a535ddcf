// An allocator that takes eight pages for every block, half of that with one setting of tcmalloc's,
// half again with another one, and crashes with a third.
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { kPage = 4096, kMost = 64 << 20 };
static _Alignas(4096) char memory[kMost];
static size_t used;
static size_t pages;

static int is_set(const char* name, const char* value) {
  const char* is = getenv(name);
  return is != NULL && strcmp(is, value) == 0;
}

static void read_settings(void) {
  pages = 8;
  if (is_set("TCMALLOC_RELEASE_RATE", "10")) pages /= 2;
  if (is_set("TCMALLOC_SKIP_SBRK", "1")) pages /= 2;
  if (is_set("TCMALLOC_AGGRESSIVE_DECOMMIT", "1")) raise(SIGSEGV);
}

void* malloc(size_t size) {
  if (pages == 0) read_settings();
  if (size > kPage || used + pages * kPage > kMost) return NULL;
  char* block = memory + used;
  used += pages * kPage;
  for (size_t page = 0; page < pages; ++page) block[page * kPage] = 1;
  return block;
}

void* calloc(size_t count, size_t size) {
  return malloc(count * size);
}

void free(void* block) {
  (void)block;
}

void* realloc(void* block, size_t size) {
  (void)block;
  return malloc(size);
}
