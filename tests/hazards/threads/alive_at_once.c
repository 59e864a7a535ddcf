// 2,000 threads alive at the same time, on small stacks, all of which have allocated.
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>

#include "account.h"

enum { kThreads = 2000 };
static pthread_barrier_t all;

static void* body(void* argument) {
  void* first = take(100);
  pthread_barrier_wait(&all);
  void* second = take((size_t)(long)argument % 64 + 1);
  give(first);
  pthread_barrier_wait(&all);
  give(second);
  return NULL;
}

int main(void) {
  static pthread_t threads[kThreads];
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN + 16384);
  pthread_barrier_init(&all, NULL, kThreads);
  for (long i = 0; i < kThreads; ++i)
    require(pthread_create(&threads[i], &small, body, (void*)i) == 0, "a thread");
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  print_account();
  return 0;
}
