// Takes 1,000 blocks of a size of its own, for plugin_interposer.c to count.
#include "account.h"

int main(void) {
  for (int i = 0; i < 1000; ++i) {
    void* block = take(4321);
    if (i % 2 == 0) give(block);
  }
  print_account();
  return 0;
}
