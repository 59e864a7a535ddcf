// Does nothing but allocate: for limits that are there from the start.
#include "account.h"

int main(void) {
  churn(300000);
  print_account();
  return 17;
}
