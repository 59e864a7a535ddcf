// Every odd call of the family, with what it returns and the errno it leaves. Only what succeeded
// counts. errno is set to 7 before each, so that "untouched" shows.
#include <malloc.h>
#include <stdint.h>

#include "account.h"

static volatile size_t most = PTRDIFF_MAX, none = 0, three = 3, hundred = 100;

static void show(const char* call, const void* result) {
  int error = errno;
  say("%-40s %s errno %d\n", call, result == NULL ? "NULL" : "block", error);
  errno = 7;
}

// Shows a call that takes a block of `bytes` when it succeeds, and gives the block back.
#define TAKES(call, bytes)                 \
  do {                                     \
    errno = 7;                             \
    void* result = (call);                 \
    show(#call, result);                   \
    account_took(result, (size_t)(bytes)); \
    if (result != NULL) give(result);      \
  } while (0)

static void aligned(size_t alignment, size_t bytes) {
  void* block = (void*)1;
  errno = 7;
  int error = posix_memalign(&block, alignment, bytes);
  say("posix_memalign(%zu, %zu): %d, errno %d, pointer %s\n", alignment, bytes, error, errno,
      block == (void*)1 ? "untouched" : "set");
  if (error != 0) return;
  say("aligned: %d\n", (uintptr_t)block % alignment == 0);
  account_took(block, bytes);
  give(block);
}

static void resizes(void) {
  void* volatile block = take(10);
  errno = 7;
  void* result = realloc(block, most + 1);
  show("realloc(block, most + 1)", result);
  result = realloc(block, most - 100);
  show("realloc(block, most - 100)", result);
  result = reallocarray(block, SIZE_MAX / 2, 3);
  show("reallocarray(block, overflow)", result);
  require(((char*)block)[0] == 'x', "the block is still there");
  result = realloc(block, 0);
  show("realloc(block, 0)", result);
  account_add(&account_frees, 1);
  block = take(10);
  errno = 7;
  result = reallocarray(block, 0, 10);
  show("reallocarray(block, 0, 10)", result);
  account_add(&account_frees, 1);
  block = realloc(NULL, 33);
  account_took(block, 33);
  block = reallocarray(block, 11, 7);
  account_took(block, 77);
  account_add(&account_resizes, 1);
  give(block);
  TAKES(realloc(NULL, 0), 0);
  TAKES(realloc(NULL, most + 1), 0);
  TAKES(reallocarray(NULL, 5, 20), 100);
  TAKES(reallocarray(NULL, SIZE_MAX, 2), 0);
}

int main(void) {
  TAKES(malloc(0), 0);
  TAKES(malloc(most + 1), 0);
  TAKES(malloc(SIZE_MAX), 0);
  TAKES(malloc(most - 4096), 0);
  TAKES(calloc(0, 10), 0);
  TAKES(calloc(10, 0), 0);
  TAKES(calloc(SIZE_MAX, 2), 0);
  TAKES(calloc((size_t)1 << 32, (size_t)1 << 32), 0);
  TAKES(calloc(most, 2), 0);
  resizes();
  TAKES(aligned_alloc(none, 10), 10);
  TAKES(aligned_alloc(three, 10), 10);
  TAKES(aligned_alloc(64, 10), 10);
  TAKES(aligned_alloc(64, most), 0);
  TAKES(aligned_alloc(most, 10), 0);
  TAKES(memalign(none, 10), 10);
  TAKES(memalign(three, 10), 10);
  TAKES(memalign(hundred, 10), 10);
  TAKES(memalign(most + 3, 10), 0);
  TAKES(valloc(0), 0);
  TAKES(valloc(most), 0);
  TAKES(pvalloc(1), 1);
  TAKES(pvalloc(SIZE_MAX - 10), 0);
  aligned(0, 10);
  aligned(3, 10);
  aligned(4, 10);
  aligned(24, 10);
  aligned(8, 10);
  aligned(4096, 0);
  aligned(64, most + 1);
  aligned((size_t)1 << 63, 10);
  errno = 7;
  free(NULL);
  say("free(NULL): errno %d, room of NULL: %zu\n", errno, malloc_usable_size(NULL));
  print_account();
  return 0;
}
