// Opens files until it may open no more, allocates a lot, and frees one descriptor: it must be the
// one that the next open gets.
#include <sys/resource.h>

#include "files.h"

int main(void) {
  struct rlimit limit = {64, 64};
  require(setrlimit(RLIMIT_NOFILE, &limit) == 0, "setrlimit");
  int last = -1;
  for (int fd; (fd = open("/dev/null", O_RDONLY)) >= 0;) last = fd;
  say("last descriptor %d, errno %d\n", last, errno);
  churn(200000);
  say("still none: %d, errno %d\n", open("/dev/null", O_RDONLY), errno);
  close(40);
  say("the one that is free: %d\n", open("/dev/null", O_RDONLY));
  print_account();
  return 0;
}
