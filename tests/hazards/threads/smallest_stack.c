// Threads on the smallest stack that libc permits, allocating in every way.
#include <limits.h>
#include <malloc.h>
#include <pthread.h>

#include "account.h"

static void* body(void* unused) {
  void* block = take(1000);
  block = take_resized(block, 2000000);
  give(take_zeroed(10, 10));
  give(block);
  churn(2000);
  return unused;
}

int main(void) {
  pthread_attr_t smallest;
  pthread_attr_init(&smallest);
  require(pthread_attr_setstacksize(&smallest, PTHREAD_STACK_MIN) == 0, "the smallest stack");
  for (int i = 0; i < 20; ++i) {
    pthread_t thread;
    require(pthread_create(&thread, &smallest, body, NULL) == 0, "a thread");
    pthread_join(thread, NULL);
  }
  print_account();
  return 0;
}
