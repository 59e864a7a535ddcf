// A forked child puts a killing filter on itself before its first allocation.
#include <sys/wait.h>

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
  require(pid > 0, "fork");
  int status = 0;
  require(waitpid(pid, &status, 0) == pid, "the child");
  say("child %s %d\n", WIFEXITED(status) ? "exited" : "was killed",
      WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
  return 22;
}
