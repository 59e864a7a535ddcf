// Becomes a daemon the classical way (twice forked, new session, folder /, every descriptor closed
// but the one it reports on) and goes on allocating.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "children.h"

int main(void) {
  void* inherited = take(500);
  if (fork() != 0) _exit(0);
  setsid();
  if (fork() != 0) _exit(0);
  new_account();
  umask(0);
  require(chdir("/") == 0, "chdir");
  close(0);
  for (int fd = 2; fd < 1024; ++fd) close(fd);
  require(open("/dev/null", O_RDWR) == 0 && dup(0) == 2, "standard descriptors");
  churn(50000);
  give(inherited);
  int fd = open("/dev/null", O_RDWR);
  say("next descriptor %d\n", fd);
  print_account();
  _exit(0);
}
