// An executable with a malloc of its own: it comes before any library's, for libc as well.
#include "account.h"
#include "bump.h"

int main(void) {
  churn(10000);
  FILE* file = fopen("/proc/self/stat", "r");
  require(file != NULL, "a file");
  fclose(file);
  print_account();
  return 23;
}
