// Puts a file of its own on every descriptor from 3 to 511, over whatever was there.
#include "files.h"

int main(void) {
  churn(1000);
  int fd = write_file(0);
  for (int i = 3; i < 512; ++i) require(i == fd || dup2(fd, i) == i, "dup2");
  churn(100000);
  check_file(fd, 0);
  for (int i = 3; i < 512; ++i) {
    struct stat facts;
    require(fstat(i, &facts) == 0 && facts.st_size == kFileBytes, "every number is still there");
  }
  churn(100000);
  require(close_range(3, ~0u, 0) == 0, "close_range");
  churn(100000);
  print_account();
  return 0;
}
