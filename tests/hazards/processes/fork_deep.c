// Each process forks the next, eight deep: each frees what it inherited from all its ancestors,
// and takes blocks of its own, before and after the fork.
#include "children.h"

enum { kDepth = 8 };

int main(void) {
  void* held[kDepth] = {NULL};
  for (int depth = 0; depth < kDepth; ++depth) {
    held[depth] = take((size_t)(100 * (depth + 1)));
    pid_t pid = fork();
    require(pid >= 0, "fork");
    if (pid > 0) {
      int status = status_of(pid);
      for (int i = 0; i <= depth; ++i) give(held[i]);
      churn(100 * depth);
      print_account();
      exit(depth == 0 ? status : status + 1);
    }
    new_account();
  }
  for (int i = 0; i < kDepth; ++i) give(held[i]);
  print_account();
  exit(1);
}
