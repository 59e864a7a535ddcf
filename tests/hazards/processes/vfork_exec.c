// vfork, then exec; the child allocates and frees on the way ("allocate"), which libc permits
// itself in the memory it shares with its parent. The exec'd image is this program, silent.
#include "children.h"

int main(int count, char** arguments) {
  if (count == 3) return 30;  // the exec'd image
  int allocates = count == 2 && strcmp(arguments[1], "allocate") == 0;
  for (volatile int i = 0; i < 20; ++i) {
    churn(200);
    pid_t pid = vfork();
    if (pid == 0) {
      for (int j = 0; allocates && j < 10; ++j) free(malloc(99));
      execl(arguments[0], arguments[0], "a", "b", (char*)NULL);
      _exit(127);
    }
    require(status_of(pid) == 30, "the child's status");
  }
  // And one that never execs.
  pid_t pid = vfork();
  if (pid == 0) _exit(31);
  say("last child ended with %d\n", status_of(pid));
  churn(20000);
  print_account();
  return 0;
}
