// Limits the number of descriptors in mid-run to what its argument says, and goes on allocating.
#include <fcntl.h>
#include <sys/resource.h>

#include "account.h"

int main(int count, char** arguments) {
  require(count == 2, "an argument");
  churn(1000);
  struct rlimit limit = {(rlim_t)atol(arguments[1]), (rlim_t)atol(arguments[1])};
  require(setrlimit(RLIMIT_NOFILE, &limit) == 0, "setrlimit");
  churn(300000);
  int fd = open("/dev/null", O_RDONLY);
  say("open %d errno %d\n", fd, errno);
  print_account();
  return 0;
}
