// A filter in one thread only; another, without a filter, goes on allocating after it.
#include <pthread.h>

#include "filter.h"

static pthread_barrier_t filtered;

static void* confined(void* unused) {
  churn(100);
  void* cached[16];  // what the churn below needs lies ready in this thread's arena
  for (int i = 0; i < 16; ++i) cached[i] = take(112);
  for (int i = 0; i < 16; ++i) give(cached[i]);
  install_filter("prctl", SECCOMP_RET_KILL_PROCESS, 0);
  churn(100000);
  pthread_barrier_wait(&filtered);
  for (;;) syscall(SYS_futex, &filtered, 128, -1, NULL, NULL, 0);
  return unused;
}

int main(void) {
  warm_heap();
  pthread_barrier_init(&filtered, NULL, 2);
  pthread_t thread;
  require(pthread_create(&thread, NULL, confined, NULL) == 0, "a thread");
  pthread_barrier_wait(&filtered);
  churn(100000);
  print_account();
  _exit(15);
}
