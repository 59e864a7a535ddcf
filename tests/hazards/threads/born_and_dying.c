// Starts 5,000 threads, eight at a time; each allocates a little, and every other one leaves a
// block behind. Afterwards the resident set and the mapped size go to stderr: they must not depend
// on how many threads there ever were. The eight wait for one another before they allocate and
// before they end: glibc then has an arena for each of them in every run, and not by chance.
#include <pthread.h>

#include "account.h"

enum { kThreads = 5000, kAtOnce = 8 };

static pthread_barrier_t together;

static void* body(void* argument) {
  long number = (long)argument;
  pthread_barrier_wait(&together);
  void* first = take(16);
  pthread_barrier_wait(&together);
  give(first);
  for (int i = 0; i < 10; ++i) give(take((size_t)(20 + i)));
  return number % 2 == 0 ? take(10) : NULL;
}

int main(void) {
  pthread_t threads[kAtOnce];
  require(pthread_barrier_init(&together, NULL, kAtOnce) == 0, "a barrier");
  for (long i = 0; i < kThreads; i += kAtOnce) {
    for (long j = 0; j < kAtOnce; ++j)
      require(pthread_create(&threads[j], NULL, body, (void*)(i + j)) == 0, "a thread");
    for (long j = 0; j < kAtOnce; ++j) pthread_join(threads[j], NULL);
  }
  print_account();
  FILE* file = fopen("/proc/self/statm", "r");
  long mapped = 0, resident = 0;
  require(file != NULL && fscanf(file, "%ld %ld", &mapped, &resident) == 2, "statm");
  fclose(file);
  say_to(2, "resident %ld\nmapped %ld\n", resident * 4096, mapped * 4096);
  return 0;
}
