// Threads on one processor resize blocks in one arena, so that some are interrupted in the middle
// of a resize, for many milliseconds, while others already use the address that it gave up. The
// sizes are too large for a thread's own cache.
#include <malloc.h>
#include <pthread.h>
#include <sched.h>

#include "account.h"

enum { kThreads = 8, kRounds = 100000 };

static void* body(void* unused) {
  for (int i = 0; i < kRounds; ++i) {
    void* block = take(2000);
    void* fence = take(2000);  // so that the block cannot grow where it is
    block = take_resized(block, 6000);
    give(fence);
    give(block);
  }
  return unused;
}

int main(void) {
  mallopt(M_ARENA_MAX, 1);
  cpu_set_t here;
  CPU_ZERO(&here);
  CPU_SET(sched_getcpu(), &here);
  sched_setaffinity(0, sizeof here, &here);
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, body, NULL);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  print_account();
  return 0;
}
