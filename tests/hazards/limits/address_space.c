// Limits the address space to little more than it has, exhausts it, starts a thread, gives all
// back and goes on. How many blocks it gets is not said: our mappings count too.
#include <pthread.h>
#include <sys/resource.h>

#include "account.h"

enum { kBlock = 64 << 10, kMost = 1000 };

static long mapped_pages(void) {
  char text[100] = {0};
  FILE* file = fopen("/proc/self/statm", "r");
  require(file != NULL && fgets(text, sizeof text, file) != NULL, "statm");
  fclose(file);
  return atol(text);
}

static void* body(void* unused) {
  churn(50000);
  return unused;
}

int main(void) {
  churn(1000);
  rlim_t bytes = (rlim_t)mapped_pages() * 4096 + (10 << 20);
  struct rlimit limit = {bytes, RLIM_INFINITY};
  require(setrlimit(RLIMIT_AS, &limit) == 0, "setrlimit");
  static void* blocks[kMost];
  int got = 0;
  errno = 0;
  while (got < kMost && (blocks[got] = take(kBlock)) != NULL) ++got;
  say("some blocks: %d, then errno %d\n", got > 20 && got < kMost, errno);
  churn(100000);  // while nothing more can be mapped
  for (int i = 0; i < got; ++i) give(blocks[i]);
  churn(100000);
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 128 << 10);
  pthread_t thread;
  int error = pthread_create(&thread, &small, body, NULL);
  if (error == 0) pthread_join(thread, NULL);
  say("a thread: %d\n", error);
  limit.rlim_cur = RLIM_INFINITY;
  setrlimit(RLIMIT_AS, &limit);
  churn(100000);
  say("done\n");
  say_to(2, "account calls=%ld bytes=%ld frees=%ld resizes=0\n", account_calls, account_bytes,
         account_frees);
  return 0;
}
