// Started with 0, 1 and 2 closed. Files opened later get these numbers; what the program wrote
// there, and only that, must be in them.
#include "files.h"

int main(void) {
  int first = write_file(0), second = write_file(1), third = write_file(2);
  churn(100000);
  check_file(first, 0);
  check_file(second, 1);
  check_file(third, 2);
  int report = open("report", O_WRONLY | O_CREAT, 0644);
  say_to(report, "descriptors %d %d %d %d\n", first, second, third, report);
  say_to(report, "account calls=%ld bytes=%ld frees=%ld resizes=0\n", account_calls, account_bytes,
         account_frees);
  return 0;
}
