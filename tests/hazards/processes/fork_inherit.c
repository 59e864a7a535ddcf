// The parent has 100 blocks when it forks. The child frees 40 of them, resizes 10, and takes 7
// blocks of its own; the parent then frees all of its 100.
#include "children.h"

int main(void) {
  void* blocks[100];
  for (int i = 0; i < 100; ++i) blocks[i] = take((size_t)(1000 + i));
  pid_t pid = fork();
  if (pid == 0) {
    new_account();
    for (int i = 0; i < 40; ++i) give(blocks[i]);
    for (int i = 40; i < 50; ++i) blocks[i] = take_resized(blocks[i], 5000);
    for (int i = 0; i < 7; ++i) require(take(70) != NULL, "a block");
    print_account();
    _exit(4);
  }
  int status = status_of(pid);
  for (int i = 0; i < 100; ++i) give(blocks[i]);
  say("child ended with %d\n", status);
  print_account();
  return 0;
}
