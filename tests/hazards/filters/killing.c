// A filter that kills the process at any system call but write, futex and exit, installed in the
// way that the first argument names; then as many allocations as the second says.
#include "filter.h"

int main(int count, char** arguments) {
  require(count == 3, "two arguments");
  warm_heap();
  install_filter(arguments[1], SECCOMP_RET_KILL_PROCESS, 0);
  churn(atol(arguments[2]));
  print_account();
  return 13;
}
