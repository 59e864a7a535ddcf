// _Fork in a signal handler while the thread allocates. The child takes blocks of a size that
// waits in malloc's cache, which is safe in libc as it is; it leaves by _exit.
#include <signal.h>
#include <sys/time.h>

#include "children.h"

enum { kForks = 40, kCached = 200 };
static volatile int forks, bad;

// Once: a signal that came while the handler ran would strike at the same place again.
static void strike_later(void) {
  struct itimerval once = {{0, 0}, {0, 1000}};
  setitimer(ITIMER_REAL, &once, NULL);
}

static void handler(int signal_number) {
  (void)signal_number;
  if (forks >= kForks) return;
  int saved = errno;
  pid_t pid = _Fork();
  if (pid == 0) {
    for (int i = 0; i < 5; ++i)
      if (malloc(kCached) == NULL) _exit(1);
    _exit(11);
  }
  if (pid < 0 || status_of(pid) != 11) ++bad;
  ++forks;
  strike_later();
  errno = saved;
}

int main(void) {
  void* cached[7];
  for (int i = 0; i < 7; ++i) cached[i] = malloc(kCached);
  for (int i = 0; i < 7; ++i) free(cached[i]);
  struct sigaction action = {.sa_handler = handler};
  sigaction(SIGALRM, &action, NULL);
  strike_later();
  while (forks < kForks) {
    void* block = take(24);
    require(block != NULL, "a block");
    give(block);
  }
  struct itimerval off = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &off, NULL);
  say("forks %d bad %d\n", forks, bad);
  say_to(2, "account calls=%ld bytes=%ld frees=%ld resizes=0\n", account_calls + 7,
         account_bytes + 7 * kCached, account_frees + 7);
  return 0;
}
