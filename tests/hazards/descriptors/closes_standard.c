// Closes 0, 1 and 2, so that its next files get these numbers, and allocates a lot: nothing of ours
// may ever be written there.
#include "files.h"

int main(void) {
  churn(100);
  int kept = dup(1);
  close(0);
  close(1);
  close(2);
  churn(50000);
  int first = write_file(0), second = write_file(1), third = write_file(2);
  churn(50000);
  check_file(first, 0);
  check_file(second, 1);
  check_file(third, 2);
  say_to(kept, "descriptors %d %d %d\n", first, second, third);
  say_to(kept, "account calls=%ld bytes=%ld frees=%ld resizes=0\n", account_calls, account_bytes,
         account_frees);
  return 0;
}
