// Handlers of pthread_atfork that allocate, in the parent before and after the fork and in the
// child, with another thread allocating all the time.
#include <pthread.h>

#include "children.h"

enum { kForks = 20 };
static volatile int stop;
static void* held;

static void prepare(void) {
  held = take(1001);
}
static void in_parent(void) {
  give(held);
  give(take(1002));
}
static void in_child(void) {
  new_account();
  give(held);
  give(take(1003));
}

static void* busy(void* unused) {
  while (!stop) {
    for (int i = 0; i < 500; ++i) free(malloc(30));
    usleep(50);
  }
  return unused;
}

int main(void) {
  require(pthread_atfork(prepare, in_parent, in_child) == 0, "pthread_atfork");
  pthread_t thread;
  pthread_create(&thread, NULL, busy, NULL);
  for (int i = 0; i < kForks; ++i) {
    pid_t pid = fork();
    if (pid == 0) {
      churn(10);
      print_account();
      _exit(60);
    }
    require(status_of(pid) == 60, "the child's status");
  }
  stop = 1;
  pthread_join(thread, NULL);
  print_account();
  return 0;
}
