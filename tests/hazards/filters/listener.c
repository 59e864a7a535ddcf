// A filter with a listener: the kernel's answer is a descriptor, and the filter is there.
#include "filter.h"

int main(void) {
  warm_heap();
  long listener =
      install_filter("syscall", SECCOMP_RET_KILL_PROCESS, SECCOMP_FILTER_FLAG_NEW_LISTENER);
  require(listener > 0, "a descriptor");
  churn(300000);
  print_account();
  return 19;
}
