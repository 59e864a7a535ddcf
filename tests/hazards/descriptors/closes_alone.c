// The same in one thread, where the numbers of descriptors must be the native ones too: closes
// 3 to 1023, opens, allocates enough to fill windows, closes again.
#include "files.h"

int main(void) {
  for (int round = 0; round < 20; ++round) {
    for (int fd = 3; fd < 1024; ++fd) close(fd);
    int first = write_file(0);
    churn(20000);
    int second = write_file(1);
    churn(20000);
    say("round %d: descriptors %d %d\n", round, first, second);
    check_file(first, 0);
    check_file(second, 1);
  }
  print_account();
  return 0;
}
