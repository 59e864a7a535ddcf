// A timer at a high rate whose handler allocates while the thread itself allocates all the time.
// Thread and handler use different sizes that are always waiting in malloc's cache, where libc
// takes no lock and touches nothing in common: natively this is safe.
#include <signal.h>
#include <sys/time.h>

#include "account.h"

enum { kMain = 24, kHandler = 200, kSignals = 1500 };
static volatile int signals;

static void handler(int number) {
  (void)number;
  int saved = errno;
  for (int i = 0; i < 3; ++i) give(take(kHandler));
  void* held[3];
  for (int i = 0; i < 3; ++i) held[i] = take(kHandler);
  for (int i = 0; i < 3; ++i) give(held[i]);
  errno = saved;
  ++signals;
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
  struct itimerval every = {{0, 50}, {0, 50}};
  setitimer(ITIMER_REAL, &every, NULL);
  while (signals < kSignals) {
    void* block = take(kMain);
    require(block != NULL, "a block");
    give(block);
  }
  struct itimerval off = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &off, NULL);
  say("done\n");
  say_to(2, "account calls=%ld bytes=%ld frees=%ld resizes=0\n", account_calls, account_bytes,
         account_frees);
  return 0;
}
