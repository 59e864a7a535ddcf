// Locks itself up in its current folder in mid-run, and goes on allocating. Nothing may appear in
// that folder.
#include <sys/stat.h>
#include <sys/wait.h>

#include "account.h"

int main(void) {
  churn(1000);
  require(chroot(".") == 0 && chdir("/") == 0, "chroot");
  churn(200000);
  pid_t pid = fork();
  if (pid == 0) {
    churn(50000);
    _exit(19);
  }
  int status = 0;
  require(waitpid(pid, &status, 0) == pid, "waitpid");
  churn(200000);
  say("child %d\n", WEXITSTATUS(status));
  print_account();
  return 0;
}
