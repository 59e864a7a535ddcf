// A filter that refuses system calls with an errno of its own; the program's errno stays as it was.
#include "filter.h"

int main(void) {
  warm_heap();
  install_filter("syscall", SECCOMP_RET_ERRNO | 42, 0);
  errno = 4711;
  churn(300000);
  say("errno %d\n", errno);
  print_account();
  return 14;
}
