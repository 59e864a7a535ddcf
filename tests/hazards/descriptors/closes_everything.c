// Closes every descriptor it did not open, again and again, as daemons do, while threads allocate
// hard; in between it writes files of its own and reads them back. "range" does it by close_range,
// "loop" by close. Descriptors are closed under the threads' feet at any instant.
#include <pthread.h>

#include "files.h"

enum { kThreads = 2, kFiles = 5 };
static int busy_threads = kThreads;

static void* busy(void* unused) {
  churn(500000);
  __atomic_fetch_sub(&busy_threads, 1, __ATOMIC_RELAXED);
  return unused;
}

static void close_everything(int by_range) {
  if (by_range) {
    require(close_range(3, ~0u, 0) == 0, "close_range");
    return;
  }
  for (int fd = 3; fd < 256; ++fd) close(fd);
}

int main(int count, char** arguments) {
  require(count == 2, "an argument");
  int by_range = strcmp(arguments[1], "range") == 0;
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, busy, NULL);
  while (__atomic_load_n(&busy_threads, __ATOMIC_RELAXED) > 0) {
    close_everything(by_range);
    int fds[kFiles];
    for (int i = 0; i < kFiles; ++i) fds[i] = write_file(i);
    for (int i = 0; i < kFiles; ++i) check_file(fds[i], i);
    for (int i = 0; i < kFiles; ++i) require(close(fds[i]) == 0, "close of one's own");
  }
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  print_account();
  return 0;
}
