// See plugin_starts_thread.c: dlopen and dlclose hold the loader's lock until other threads have
// made many allocations, their first ones among them.
#include <pthread.h>

#include "load.h"

enum { kThreads = 3 };
static pthread_barrier_t begin, end;

void while_loading(void) {
  pthread_barrier_wait(&begin);
  churn(1000);
  pthread_barrier_wait(&end);
}

static void* body(void* unused) {
  pthread_barrier_wait(&begin);
  churn(30000);
  pthread_barrier_wait(&end);
  return unused;
}

static void start(pthread_t* threads) {
  for (int i = 0; i < kThreads; ++i)
    require(pthread_create(&threads[i], NULL, body, NULL) == 0, "a thread");
}

static void finish(pthread_t* threads) {
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
}

int main(int count, char** arguments) {
  (void)count;
  find_plugins(arguments[0]);
  pthread_barrier_init(&begin, NULL, kThreads + 1);
  pthread_barrier_init(&end, NULL, kThreads + 1);
  for (int round = 0; round < 5; ++round) {
    pthread_t threads[kThreads];
    start(threads);
    void* plugin = load_plugin("plugin_starts_thread", RTLD_NOW);
    finish(threads);
    start(threads);
    dlclose(plugin);
    finish(threads);
  }
  print_account();
  return 0;
}
