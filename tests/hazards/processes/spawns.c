// Starts programs in the ways libc offers: posix_spawn, system, popen. The program started is this
// one with an argument, which makes a known number of allocations.
#include <spawn.h>

#include "children.h"

extern char** environ;

static int started(const char* text) {
  int blocks = atoi(text);
  for (int i = 0; i < blocks; ++i) require(take(16) != NULL, "a block");
  print_account();
  return blocks % 256;
}

int main(int count, char** arguments) {
  if (count == 2) return started(arguments[1]);
  churn(100);
  char* const spawned[] = {arguments[0], "101", NULL};
  pid_t pid;
  require(posix_spawn(&pid, arguments[0], NULL, NULL, spawned, environ) == 0, "posix_spawn");
  say("posix_spawn: %d\n", status_of(pid));

  char line[500];
  snprintf(line, sizeof line, "%s 102", arguments[0]);
  int status = system(line);
  say("system: %d\n", WEXITSTATUS(status));

  snprintf(line, sizeof line, "%s 103", arguments[0]);
  FILE* pipe = popen(line, "r");
  require(pipe != NULL, "popen");
  require(fgets(line, sizeof line, pipe) != NULL, "a line from the child");
  status = pclose(pipe);
  say("%spopen: %d\n", line, WEXITSTATUS(status));

  require(posix_spawnp(&pid, "/nonexistent/program", NULL, NULL, spawned, environ) == ENOENT,
          "posix_spawn of nothing");
  churn(100);
  print_account();
  return 0;
}
