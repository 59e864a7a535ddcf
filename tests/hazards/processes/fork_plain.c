// A child that makes 5,000 allocations and leaves in the way the argument names; or no allocation
// at all ("silent").
#include "children.h"

int main(int count, char** arguments) {
  require(count == 2, "an argument");
  void* block = take(10);
  pid_t pid = fork();
  if (pid == 0) {
    if (strcmp(arguments[1], "silent") == 0) _exit(0);
    new_account();
    for (int i = 0; i < 5000; ++i) require(take(24) != NULL, "a block");
    print_account();
    if (strcmp(arguments[1], "exit") == 0) exit(1);
    _exit(2);
  }
  say("child ended with %d\n", status_of(pid));
  give(block);
  print_account();
  return 0;
}
