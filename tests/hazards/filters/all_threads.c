// A filter for all threads at once (TSYNC), installed by one of them; the others allocate under it.
#include <pthread.h>

#include "filter.h"

enum { kThreads = 4 };
static pthread_barrier_t ready, done;

static void* body(void* unused) {
  churn(100);
  void* cached[16];  // what the churn below needs lies ready in this thread's arena
  for (int i = 0; i < 16; ++i) cached[i] = take(112);
  for (int i = 0; i < 16; ++i) give(cached[i]);
  pthread_barrier_wait(&ready);
  pthread_barrier_wait(&ready);
  churn(50000);
  pthread_barrier_wait(&done);
  for (;;) syscall(SYS_futex, &done, 128, -1, NULL, NULL, 0);
  return unused;
}

int main(void) {
  warm_heap();
  pthread_barrier_init(&ready, NULL, kThreads + 1);
  pthread_barrier_init(&done, NULL, kThreads + 1);
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i)
    require(pthread_create(&threads[i], NULL, body, NULL) == 0, "a thread");
  pthread_barrier_wait(&ready);
  install_filter("syscall", SECCOMP_RET_KILL_PROCESS, SECCOMP_FILTER_FLAG_TSYNC);
  pthread_barrier_wait(&ready);
  pthread_barrier_wait(&done);
  print_account();
  _exit(20);
}
