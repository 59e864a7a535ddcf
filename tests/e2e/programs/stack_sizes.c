// Three call sites, each with one size: 10 blocks of 16 bytes, 20 of 1,000 and 30 of 100,000, all
// freed but one of each.
#include <stdlib.h>

__attribute__((noinline)) static void small(int keep) {
  void* block = malloc(16);
  if (!keep) free(block);
}
__attribute__((noinline)) static void medium(int keep) {
  void* block = malloc(1000);
  if (!keep) free(block);
}
__attribute__((noinline)) static void large(int keep) {
  void* block = malloc(100000);
  if (!keep) free(block);
}

int main(void) {
  for (int i = 0; i < 10; ++i) small(i == 0);
  for (int i = 0; i < 20; ++i) medium(i == 0);
  for (int i = 0; i < 30; ++i) large(i == 0);
  return 0;
}
