// Holds the loader's lock in a dl_iterate_phdr callback while another thread makes its very first
// allocations, and many more: whoever asks the loader something in a hook hangs here.
#include <link.h>
#include <pthread.h>

#include "account.h"

static void* body(void* unused) {
  churn(50000);
  return unused;
}

static int callback(struct dl_phdr_info* info, size_t size, void* pass) {
  (void)info, (void)size;
  if (++*(int*)pass > 1) return 0;
  pthread_t thread;
  require(pthread_create(&thread, NULL, body, NULL) == 0, "a thread");
  churn(50000);
  pthread_join(thread, NULL);
  return 0;
}

int main(void) {
  for (int i = 0; i < 5; ++i) {
    int objects = 0;
    dl_iterate_phdr(callback, &objects);
    require(objects > 1, "objects");
  }
  print_account();
  return 0;
}
