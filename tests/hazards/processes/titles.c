// Writes a title over its argument vector, as servers do, and forks: the child, too, before it
// allocates.
#include "children.h"

static void set_title(char** arguments, const char* title) {
  char* last = arguments[0];
  for (char** at = arguments; *at != NULL; ++at) last = *at + strlen(*at);
  memset(arguments[0], 0, (size_t)(last - arguments[0]));
  strcpy(arguments[0], title);
}

int main(int count, char** arguments) {
  require(count == 4, "three arguments");
  churn(100);
  set_title(arguments, "titles: master");
  pid_t pid = fork();
  if (pid == 0) {
    set_title(arguments, "titles: worker");
    churn(100);
    _exit(11);
  }
  require(pid > 0 && status_of(pid) == 11, "a child");
  churn(100);
  return 0;
}
