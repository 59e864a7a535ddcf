// Clears its environment, changes its folder, and forks: the child is recorded like its parent.
#include "children.h"

int main(void) {
  churn(100);
  clearenv();
  require(chdir("/") == 0, "chdir");
  pid_t pid = fork();
  if (pid == 0) {
    new_account();
    churn(30000);
    print_account();
    exit(61);
  }
  say("child ended with %d\n", status_of(pid));
  churn(30000);
  print_account();
  return 0;
}
