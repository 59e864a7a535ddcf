// Blocks travel round a ring of threads: each frees what it gets and at once takes a block of the
// same size, which mostly has the address that was just freed. Totals and the end are exact.
#include <pthread.h>

#include "account.h"

enum { kThreads = 4, kRounds = 60000, kLane = 64 };

struct Lane {
  void* cells[kLane];
};
static struct Lane lanes[kThreads];  // lane i: from thread i to thread i + 1

static void* exchange(struct Lane* lane, long at, void* block) {
  return __atomic_exchange_n(&lane->cells[at % kLane], block, __ATOMIC_ACQ_REL);
}

static void* body(void* argument) {
  long self = (long)argument;
  struct Lane* in = &lanes[(self + kThreads - 1) % kThreads];
  struct Lane* out = &lanes[self];
  for (long i = 0; i < kRounds; ++i) {
    give(exchange(in, i, NULL));
    give(exchange(out, i, take((size_t)(24 + i % 3 * 8))));
  }
  return NULL;
}

int main(void) {
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, body, (void*)i);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < kThreads; ++i)
    for (int j = 0; j < kLane; ++j) give(lanes[i].cells[j]);
  print_account();
  return 0;
}
