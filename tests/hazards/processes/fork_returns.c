// fork in a signal handler while the thread allocates. The parent goes on; the child returns from
// the handler too, into whatever was interrupted, takes five more blocks and leaves.
#include <signal.h>
#include <sys/time.h>

#include "children.h"

enum { kForks = 60, kRounds = 200000 };
static volatile int forks, bad, is_child;

static void handler(int signal_number) {
  (void)signal_number;
  if (forks >= kForks || is_child) return;
  int saved = errno;
  pid_t pid = fork();
  if (pid == 0) {
    is_child = 1;
    errno = saved;
    return;
  }
  if (pid < 0 || status_of(pid) != 11) ++bad;
  ++forks;
  errno = saved;
}

static void leave(void) {
  for (int i = 0; i < 5; ++i) take(5000);
  _exit(11);
}

int main(void) {
  struct sigaction action = {.sa_handler = handler};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval every = {{0, 1000}, {0, 1000}};
  setitimer(ITIMER_REAL, &every, NULL);
  for (long i = 0; i < kRounds || forks < kForks; ++i) {
    void* block = take(24);
    require(block != NULL, "a block");
    give(block);
    if (is_child) leave();
  }
  struct itimerval off = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &off, NULL);
  say("forks %d bad %d\n", forks, bad);
  say_to(2, "account calls=%ld bytes=%ld frees=%ld resizes=0\n", account_calls, account_bytes,
         account_frees);
  return 0;
}
