// Blocks that overlap: one buffer that is given out again and again, whether it is free or not.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { kBytes = 1 << 22, kHead = 16 };

static _Alignas(16) char buffer[kBytes];
static size_t used;

void* malloc(size_t bytes) {
  const size_t whole = (bytes + kHead + 15) / 16 * 16;
  if (whole > kBytes) return NULL;
  if (used + whole > kBytes / 64 && used > 0 && whole < kBytes / 64) used = 0;
  if (used + whole > kBytes) used = 0;
  char* head = buffer + used;
  used += whole;
  memcpy(head, &bytes, sizeof bytes);
  return head + kHead;
}
void* calloc(size_t count, size_t bytes) {
  void* block = malloc(count * bytes);
  return block == NULL ? NULL : memset(block, 0, count * bytes);
}
void* realloc(void* block, size_t bytes) {
  void* made = malloc(bytes);
  if (made == NULL || block == NULL) return made;
  size_t before;
  memcpy(&before, (char*)block - kHead, sizeof before);
  if (before > kBytes / 2) before = 0;  // somebody has written over it
  return memmove(made, block, before < bytes ? before : bytes);
}
void free(void* block) {
  (void)block;
}
