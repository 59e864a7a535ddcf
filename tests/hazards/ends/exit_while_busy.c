// Calls exit while other threads allocate as fast as they can; a handler still allocates then.
#include <pthread.h>

#include "account.h"

static void* busy(void* unused) {
  for (;;) {
    void* block = malloc(48);
    require(block != NULL, "a block");
    free(block);
  }
  return unused;
}

static void at_exit(void) {
  churn(20000);
  print_account();
}

int main(void) {
  atexit(at_exit);
  pthread_t thread;
  for (int i = 0; i < 4; ++i) require(pthread_create(&thread, NULL, busy, NULL) == 0, "a thread");
  churn(20000);
  exit(3);
}
