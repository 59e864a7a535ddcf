// The strict mode: only read, write and exit are left, anything else is SIGKILL. The argument is
// the number of allocations made in it.
#include "filter.h"

int main(int count, char** arguments) {
  require(count == 2, "an argument");
  warm_heap();
  require(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0, "strict mode");
  churn(atol(arguments[1]));
  void* resized = take_resized(take(100), 50);
  give(resized);
  print_account();
  syscall(SYS_exit, 12);
  return 1;
}
