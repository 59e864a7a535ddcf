// Forbids itself the time stamp counter: whoever reads it now dies. The heap works as before.
#include "filter.h"

int main(void) {
  churn(2000);
  require(prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) == 0, "no ticks");
  churn(50000);
  void* block = take(100);
  for (size_t bytes = 200; bytes < 20000; bytes += 100) block = take_resized(block, bytes);
  give(block);
  print_account();
  return 21;
}
