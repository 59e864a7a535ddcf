// Starts itself again with an empty environment, or without our variables: the second image is not
// recorded, and that is all that happens.
#include "children.h"

int main(int count, char** arguments) {
  if (count == 3) {
    churn(2000);
    return 50;
  }
  require(count == 2, "an argument");
  churn(1000);
  pid_t pid = fork();
  if (pid == 0) {
    char* const nothing[] = {NULL};
    if (strcmp(arguments[1], "execle") == 0)
      execle(arguments[0], arguments[0], "a", "b", (char*)NULL, nothing);
    if (strcmp(arguments[1], "clearenv") == 0) clearenv();
    if (strcmp(arguments[1], "unsetenv") == 0) unsetenv("LD_PRELOAD");
    execl(arguments[0], arguments[0], "a", "b", (char*)NULL);
    _exit(127);
  }
  say("second image: %d\n", status_of(pid));
  churn(1000);
  print_account();
  return 0;
}
