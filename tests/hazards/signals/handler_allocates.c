// A timer at a high rate whose handler allocates while the thread itself allocates all the time.
// Thread and handler use different sizes that are always waiting in malloc's cache, where libc
// takes no lock and touches nothing in common: natively this is safe. Where the handler takes
// longer than the timer waits, the thread itself stands still: so it is the handler that ends it.
#include <signal.h>
#include <sys/time.h>

#include "account.h"

enum { kMain = 24, kHandler = 200, kSignals = 1500 };
static volatile int signals;

static void ring_every(int microseconds) {
  struct itimerval every = {{0, microseconds}, {0, microseconds}};
  setitimer(ITIMER_REAL, &every, NULL);
}

static void handler(int number) {
  (void)number;
  int saved = errno;
  for (int i = 0; i < 3; ++i) give(take(kHandler));
  void* held[3];
  for (int i = 0; i < 3; ++i) held[i] = take(kHandler);
  for (int i = 0; i < 3; ++i) give(held[i]);
  if (++signals == kSignals) ring_every(0);
  errno = saved;
}

static void fill_cache(size_t bytes) {
  void* blocks[7];
  for (int i = 0; i < 7; ++i) blocks[i] = take(bytes);
  for (int i = 0; i < 7; ++i) give(blocks[i]);
}

int main(void) {
  fill_cache(kMain);
  fill_cache(kHandler);
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  ring_every(50);
  while (signals < kSignals) {
    void* block = take(kMain);
    require(block != NULL, "a block");
    give(block);
  }
  say("done\n");
  say_to(2, "account calls=%ld bytes=%ld frees=%ld resizes=0\n", account_calls, account_bytes,
         account_frees);
  return 0;
}
