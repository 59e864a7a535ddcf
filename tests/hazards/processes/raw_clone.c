// clone used as fork, without libc's knowledge: by the system calls clone and clone3, and by
// libc's clone with a stack of the child's own. No handler of pthread_atfork runs.
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "children.h"

static int child(void* argument) {
  new_account();
  churn(500);
  for (int i = 0; i < 20; ++i) require(take(100) != NULL, "a block");
  give(argument);
  print_account();
  _exit(21);
}

int main(void) {
  void* inherited = take(1234);
  churn(300);

  pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (pid == 0) child(inherited);
  say("clone: %d\n", status_of(pid));
  churn(300);

  struct clone_args arguments = {.exit_signal = SIGCHLD};
  pid = (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);
  if (pid == 0) child(inherited);
  require(pid > 0, "clone3");
  say("clone3: %d\n", status_of(pid));
  churn(300);

  char* stack = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(stack != MAP_FAILED, "a stack");
  pid = clone(child, stack + (1 << 16), SIGCHLD, inherited);
  require(pid > 0, "clone()");
  say("clone(): %d\n", status_of(pid));
  churn(300);
  give(inherited);
  print_account();
  return 0;
}
