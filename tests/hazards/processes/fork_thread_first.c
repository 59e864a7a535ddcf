// The first heap call of a forked child is made by a thread that it starts: glibc keeps the stacks
// of threads that have ended, so that starting one takes no memory. The thread that forked comes
// second, while the other is at work.
#include <pthread.h>

#include "children.h"

enum { kForks = 20 };
static volatile int at_work;

static void* ends_at_once(void* unused) {
  give(take(10));
  return unused;
}

static void* begins(void* unused) {
  give(take(1));
  __atomic_store_n(&at_work, 1, __ATOMIC_RELEASE);
  churn(20000);
  return unused;
}

static void child(void) {
  pthread_t thread;
  require(pthread_create(&thread, NULL, begins, NULL) == 0, "a thread in the child");
  while (!__atomic_load_n(&at_work, __ATOMIC_ACQUIRE)) {
  }
  churn(20000);
  pthread_join(thread, NULL);
  _exit(3);
}

int main(void) {
  pthread_t thread;
  require(pthread_create(&thread, NULL, ends_at_once, NULL) == 0, "a thread");
  pthread_join(thread, NULL);
  for (int i = 0; i < kForks; ++i) {
    pid_t pid = fork();
    if (pid == 0) child();
    require(pid > 0, "fork");
    say("child ended with %d\n", status_of(pid));
  }
  return 0;
}
