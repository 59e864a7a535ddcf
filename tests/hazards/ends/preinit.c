// Allocates from .preinit_array, before the constructor of any library has run, and gives the
// blocks back at the very end.
#include <malloc.h>

#include "account.h"

static unsigned char *zeroed, *grown, *kept;

static void before_everything(int count, char** arguments, char** environment) {
  (void)count, (void)arguments, (void)environment;
  zeroed = take_zeroed(10, 100);
  grown = take_zeroed(1, 50);
  kept = take(3000);
}

__attribute__((section(".preinit_array"), used)) static void (*first)(int, char**,
                                                                      char**) = before_everything;

static void at_the_end(void) {
  for (int i = 0; i < 1000; ++i) require(zeroed[i] == 0, "calloc's block stayed zero");
  require(grown[49] == 0 && grown[50] == 7, "realloc kept the content");
  give(zeroed);
  give(grown);
  give(kept);
  print_account();
}

int main(void) {
  require(zeroed != NULL && grown != NULL && kept != NULL, "blocks before main");
  say("room %d %d\n", malloc_usable_size(zeroed) >= 1000, malloc_usable_size(kept) >= 3000);
  grown = take_resized(grown, 5000);
  grown[50] = 7;
  memset(kept, 1, 3000);
  churn(1000);
  atexit(at_the_end);
  return 0;
}
