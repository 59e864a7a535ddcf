// Forks children that become another user: one allocates, one execs this program again.
#include "children.h"

static void leave_root(void) {
  require(setgid(65534) == 0 && setuid(65534) == 0, "another user");
}

int main(int count, char** arguments) {
  if (count == 2) {
    free(malloc(10));
    return 41;
  }
  give(take(100));
  pid_t pid = fork();
  if (pid == 0) {
    leave_root();
    for (int i = 0; i < 100; ++i) free(malloc(20));
    _exit(40);
  }
  say("the child that allocates: %d\n", status_of(pid));
  pid = fork();
  if (pid == 0) {
    leave_root();
    execl(arguments[0], arguments[0], "again", (char*)NULL);
    _exit(90);
  }
  say("the child that execs: %d\n", status_of(pid));
  print_account();
  return 0;
}
