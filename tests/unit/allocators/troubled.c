// An allocator that hands out one piece of memory after the other, and is in trouble at its 1000th
// malloc. What trouble, TROUBLE says.
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

static _Alignas(16) char memory[64 << 20];
static size_t used;
static unsigned calls;

enum { kCrash = 1, kHang, kExit, kEmpty, kOverlap, kTalkAndAbort };

static void* trouble(void) {
  static const char words[] = "first line\ntroubled: cannot go on\n";
  switch (TROUBLE) {
    case kCrash:
      raise(SIGSEGV);
      return NULL;
    case kHang:
      for (;;) pause();
    case kExit:
      _exit(3);
    case kTalkAndAbort:
      if (write(2, words, sizeof words - 1) < 0) return NULL;
      raise(SIGABRT);
      return NULL;
    case kOverlap:
      return memory;
    default:
      return NULL;
  }
}

void* malloc(size_t size) {
  if (++calls == 1000) return trouble();
  const size_t whole = (size + 31) / 16 * 16;
  if (whole < size || whole > sizeof memory - used) return NULL;
  char* block = memory + used + 16;
  used += whole;
  memcpy(block - 16, &size, sizeof size);
  return block;
}

void* calloc(size_t count, size_t size) {
  return malloc(count * size);
}

void free(void* block) {
  (void)block;
}

void* realloc(void* block, size_t size) {
  void* other = malloc(size);
  if (other == NULL || block == NULL) return other;
  size_t old;
  memcpy(&old, (char*)block - 16, sizeof old);
  return memcpy(other, block, old < size ? old : size);
}
