// Fibers by swapcontext on stacks from the heap; they allocate, and move from thread to thread.
#include <pthread.h>
#include <ucontext.h>

#include "account.h"

enum { kFibers = 20, kStack = 64 << 10, kRounds = 200 };

struct Fiber {
  ucontext_t context, caller;
  void* held;
  int steps;
};
static struct Fiber fibers[kFibers];

static void fiber_body(int number) {
  struct Fiber* self = &fibers[number];
  for (;;) {
    give(self->held);
    self->held = take((size_t)(100 + number));
    ++self->steps;
    swapcontext(&self->context, &self->caller);
  }
}

static void* run_all(void* unused) {
  for (int round = 0; round < kRounds; ++round)
    for (int i = 0; i < kFibers; ++i) swapcontext(&fibers[i].caller, &fibers[i].context);
  return unused;
}

int main(void) {
  for (int i = 0; i < kFibers; ++i) {
    getcontext(&fibers[i].context);
    fibers[i].context.uc_stack.ss_sp = take(kStack);
    fibers[i].context.uc_stack.ss_size = kStack;
    makecontext(&fibers[i].context, (void (*)(void))fiber_body, 1, i);
  }
  run_all(NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, run_all, NULL);  // the same fibers, on another thread
  pthread_join(thread, NULL);
  run_all(NULL);
  int steps = 0;
  for (int i = 0; i < kFibers; ++i) {
    steps += fibers[i].steps;
    give(fibers[i].held);
    give(fibers[i].context.uc_stack.ss_sp);
  }
  say("steps %d\n", steps);
  print_account();
  return 0;
}
