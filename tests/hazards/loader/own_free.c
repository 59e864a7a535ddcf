// An executable with a free of its own, which does nothing, and libc's malloc.
#include "account.h"

void free(void* block) {
  (void)block;
}

int main(void) {
  churn(1000);
  print_account();
  return 24;
}
