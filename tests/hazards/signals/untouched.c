// Prints everything about the process that we could have changed and must not have: before and
// after enough allocations to fill several windows.
#include <dirent.h>
#include <fenv.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "account.h"

static int threads(void) {
  struct stat facts;
  require(stat("/proc/self/task", &facts) == 0, "stat");
  return (int)facts.st_nlink - 2;
}

static void print_state(const char* when) {
  sigset_t blocked, pending;
  sigprocmask(SIG_BLOCK, NULL, &blocked);
  sigpending(&pending);
  int masked = 0, waiting = 0, handled = 0;
  for (int i = 1; i < 65; ++i) {
    masked += sigismember(&blocked, i) == 1;
    waiting += sigismember(&pending, i) == 1;
    struct sigaction action;
    if (sigaction(i, NULL, &action) == 0) handled += action.sa_handler != SIG_DFL;
  }
  say("%s: signals blocked %d pending %d handled %d, threads %d\n", when, masked, waiting, handled,
      threads());
  struct itimerval timers[3];
  for (int i = 0; i < 3; ++i) {
    getitimer(i, &timers[i]);
    say("timer %d: %ld\n", i, timers[i].it_interval.tv_usec);
  }
  for (int i = 0; i < RLIMIT_NLIMITS; ++i) {
    struct rlimit limit;
    getrlimit(i, &limit);
    say("limit %d: %ld %ld\n", i, (long)limit.rlim_cur, (long)limit.rlim_max);
  }
  mode_t mask = umask(022);
  umask(mask);
  stack_t alternate;
  sigaltstack(NULL, &alternate);
  say("umask %o, rounding %d, exceptions %d, alternate stack %d\n", mask, fegetround(),
      fetestexcept(FE_ALL_EXCEPT), alternate.ss_flags);
}

int main(void) {
  fesetround(FE_UPWARD);
  print_state("before");
  errno = 4711;
  churn(100000);
  say("errno %d\n", errno);
  print_state("after");
  return 0;
}
