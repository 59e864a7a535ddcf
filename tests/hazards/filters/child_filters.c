// A forked child puts a killing filter on itself before its first allocation.
#include "filter.h"

int main(void) {
  warm_heap();
  account_calls = account_bytes = account_frees = 0;
  pid_t pid = fork();
  if (pid == 0) {
    install_filter("prctl", SECCOMP_RET_KILL_PROCESS, 0);
    churn(2000);
    print_account();
    _exit(7);
  }
  say_how_it_ended(pid);
  return 22;
}
