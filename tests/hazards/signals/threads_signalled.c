// Threads that allocate all the time and are signalled all the time by another; their handlers
// allocate too (see handler_allocates.c for why that is safe natively).
#include <pthread.h>
#include <signal.h>

#include "account.h"

enum { kMain = 24, kHandler = 200, kThreads = 3, kSignals = 800 };
static volatile int stop;
static long signals;

static void handler(int number) {
  (void)number;
  int saved = errno;
  for (int i = 0; i < 4; ++i) give(take(kHandler));
  account_add(&signals, 1);
  errno = saved;
}

static void fill_cache(size_t bytes) {
  void* blocks[7];
  for (int i = 0; i < 7; ++i) blocks[i] = take(bytes);
  for (int i = 0; i < 7; ++i) give(blocks[i]);
}

static void set_blocked(int how) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(how, &set, NULL);
}

static void* body(void* unused) {
  fill_cache(kMain);
  fill_cache(kHandler);
  set_blocked(SIG_UNBLOCK);
  while (!stop) {
    void* block = take(kMain);
    require(block != NULL, "a block");
    give(block);
  }
  set_blocked(SIG_BLOCK);
  return unused;
}

int main(void) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigaction(SIGUSR1, &action, NULL);
  set_blocked(SIG_BLOCK);
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, body, NULL);
  for (int i = 0; __atomic_load_n(&signals, __ATOMIC_RELAXED) < kSignals; ++i) {
    pthread_kill(threads[i % kThreads], SIGUSR1);
    usleep(20);
  }
  stop = 1;
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  say("done\n");
  say_to(2, "account calls=%ld bytes=%ld frees=%ld resizes=0\n", account_calls, account_bytes,
         account_frees);
  return 0;
}
