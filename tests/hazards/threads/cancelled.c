// Threads cancelled at a cancellation point, whose cleanup handlers allocate and give back; the
// threads are detached or joined.
#include <pthread.h>

#include "account.h"

static pthread_barrier_t waiting;

static void clean(void* block) {
  give(block);
  churn(100);
}

static void* body(void* unused) {
  void* block = take(64);
  pthread_cleanup_push(clean, block);
  pthread_barrier_wait(&waiting);
  for (;;) pause();
  pthread_cleanup_pop(0);
  return unused;
}

int main(void) {
  pthread_barrier_init(&waiting, NULL, 2);
  for (int i = 0; i < 50; ++i) {
    pthread_t thread;
    require(pthread_create(&thread, NULL, body, NULL) == 0, "a thread");
    pthread_barrier_wait(&waiting);
    pthread_cancel(thread);
    void* result;
    pthread_join(thread, &result);
    require(result == PTHREAD_CANCELED, "cancelled");
  }
  print_account();
  return 0;
}
