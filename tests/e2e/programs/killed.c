// Allocates and frees by a fixed rule until it is killed: `killed THREADS PIPE`. Every eight
// operations a thread writes {thread, operations done} to the descriptor PIPE. The rule: operation
// n of a thread takes 16 + n % 1000 bytes, unless n % 3 is 2: then it frees the block of operation
// n - 1. Each thread allocates at a call site of its own.
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

enum { kMost = 4 };

static int told;

struct Record {
  uint64_t thread, done;
};

#define SITE(number)                                                   \
  __attribute__((noinline)) static void* take_##number(size_t bytes) { \
    __asm__ volatile("" ::"i"(number));                                \
    return malloc(bytes);                                              \
  }
SITE(0)
SITE(1)
SITE(2)
SITE(3)
static void* (*const takes[kMost])(size_t) = {take_0, take_1, take_2, take_3};

static void* body(void* argument) {
  uint64_t thread = (uintptr_t)argument;
  void* last = NULL;
  for (uint64_t n = 0;; ++n) {
    if (n % 3 == 2)
      free(last);
    else if ((last = takes[thread](16 + n % 1000)) == NULL)
      _exit(1);
    if (n % 8 != 7) continue;
    struct Record record = {thread, n + 1};
    if (write(told, &record, sizeof record) != sizeof record) _exit(2);
  }
  return NULL;
}

int main(int count, char** arguments) {
  if (count != 3) return 3;
  told = atoi(arguments[2]);
  int threads = atoi(arguments[1]);
  for (uintptr_t i = 1; i < (uintptr_t)threads; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, body, (void*)i) != 0) return 4;
  }
  body(0);
  return 5;
}
