// Gives up root in mid-run, forks, and goes on allocating in both processes.
#include <grp.h>
#include <sys/wait.h>

#include "account.h"

int main(void) {
  churn(1000);
  require(setgroups(0, NULL) == 0 && setgid(65534) == 0 && setuid(65534) == 0, "giving up root");
  churn(200000);
  pid_t pid = fork();
  if (pid == 0) {
    churn(50000);
    _exit(18);
  }
  int status = 0;
  require(waitpid(pid, &status, 0) == pid, "waitpid");
  churn(200000);
  say("user %d child %d\n", (int)getuid(), WEXITSTATUS(status));
  print_account();
  return 0;
}
