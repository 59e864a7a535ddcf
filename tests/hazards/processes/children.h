// Waiting for children, with a hang turned into an end that the test sees.
#pragma once

#include <sys/wait.h>

#include "account.h"

__attribute__((unused)) static int status_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) require(errno == EINTR, "waitpid");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

// A child's own account begins at zero.
__attribute__((unused)) static void new_account(void) {
  account_calls = account_bytes = account_frees = account_resizes = 0;
}
