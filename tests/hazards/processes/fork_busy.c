// Forks many times while other threads allocate as hard as they can; each child allocates, frees,
// starts a thread of its own, and leaves by _exit with a status of its own.
#include <pthread.h>

#include "children.h"

enum { kThreads = 3, kForks = 40 };
static volatile int stop;

static void* busy(void* unused) {
  void* held[32] = {NULL};
  for (unsigned i = 0; !stop; ++i) {
    free(held[i % 32]);
    held[i % 32] = malloc(16 + i % 200);
    if (i % 4096 == 0) usleep(200);  // or the ledger would be very long
  }
  for (int i = 0; i < 32; ++i) free(held[i]);
  return unused;
}

static void* child_thread(void* unused) {
  churn(100);
  return unused;
}

static void child(int number) {
  churn(1000 + number);
  pthread_t thread;
  require(pthread_create(&thread, NULL, child_thread, NULL) == 0, "a thread in the child");
  pthread_join(thread, NULL);
  _exit(number);
}

int main(void) {
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, busy, NULL);
  for (int i = 0; i < kForks; ++i) {
    pid_t pid = fork();
    if (pid == 0) child(i);
    require(pid > 0, "fork");
    int status = status_of(pid);
    require(status == i, "the child's status");
    if (i % 10 == 0) say("child %d ended with %d\n", i, status);
  }
  stop = 1;
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  say("done\n");
  return 0;
}
