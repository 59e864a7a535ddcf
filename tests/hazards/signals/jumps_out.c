// A handler leaves by siglongjmp again and again while the thread is in calls of malloc's family
// that libc turns down at once (nothing can be left half done there): the thread must be entered
// normally afterwards.
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/time.h>

#include "account.h"

enum { kJumps = 500 };
static sigjmp_buf back;
static volatile int jumps, armed;
static volatile size_t huge = SIZE_MAX / 2 + 100;

static void handler(int number) {
  (void)number;
  if (!armed) return;
  armed = 0;
  ++jumps;
  siglongjmp(back, 1);
}

int main(void) {
  void* block = take(100);
  struct sigaction action = {.sa_handler = handler};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval every = {{0, 200}, {0, 200}};
  setitimer(ITIMER_REAL, &every, NULL);
  sigsetjmp(back, 1);
  while (jumps < kJumps) {
    armed = 1;
    if (malloc(huge) != NULL || calloc(huge, 16) != NULL) return 1;
    if (realloc(block, huge) != NULL || reallocarray(block, huge, 16) != NULL) return 2;
    if (aligned_alloc(64, huge) != NULL) return 3;
    free(NULL);
    armed = 0;
  }
  struct itimerval off = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &off, NULL);
  churn(10000);
  give(block);
  print_account();
  return 0;
}
