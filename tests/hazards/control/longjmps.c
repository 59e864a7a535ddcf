// longjmp out of deep frames that have allocated, many times.
#include <setjmp.h>

#include "account.h"

static jmp_buf back;
static void* held[50];

static int descend(int depth) {
  if (depth < 0) return 0;
  held[depth] = take((size_t)(depth + 1));
  if (depth == 49) longjmp(back, 1);
  return descend(depth + 1) + 1;
}

int main(void) {
  for (volatile int round = 0; round < 500; ++round) {
    if (setjmp(back) == 0) descend(0);
    for (int i = 0; i < 50; ++i) give(held[i]);
  }
  print_account();
  return 0;
}
