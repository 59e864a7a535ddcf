// errno survives every successful call of the family, also those that map, unmap, trim or fill a
// window.
#include <malloc.h>

#include "account.h"

static long changed;

static void check(void) {
  changed += errno != 1234;
  errno = 1234;
}

int main(void) {
  errno = 1234;
  for (int i = 0; i < 60000; ++i) {
    size_t bytes = i % 1000 == 0 ? 4 << 20 : (size_t)(i % 500);
    char* block = take(bytes);
    check();
    block = take_resized(block, bytes + 100);
    check();
    give(block);
    check();
    give(take_zeroed(3, 30));
    check();
    void* aligned = memalign(256, 100);
    account_took(aligned, 100);
    check();
    give(aligned);
    check();
  }
  malloc_trim(0);
  check();
  say("changed %ld\n", changed);
  print_account();
  return 0;
}
