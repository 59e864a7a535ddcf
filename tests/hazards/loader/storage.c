// Threads that touch the thread-local storage of a plugin (plugin_storage.c), which makes the
// loader allocate in the middle of their work, and free it when they end.
#include <pthread.h>

#include "load.h"

typedef int (*Touch)(int);
static Touch touch;

static void* body(void* value) {
  churn(100);
  int first = touch((int)(long)value);
  churn(100);
  return (void*)(long)(first + touch(0));
}

int main(int count, char** arguments) {
  (void)count;
  find_plugins(arguments[0]);
  long sum = 0;
  for (int round = 0; round < 5; ++round) {
    void* plugin = load_plugin("plugin_storage", RTLD_NOW);
    touch = (Touch)dlsym(plugin, "plugin_touch");
    require(touch != NULL, "dlsym");
    pthread_t threads[8];
    for (long i = 0; i < 8; ++i) pthread_create(&threads[i], NULL, body, (void*)i);
    for (int i = 0; i < 8; ++i) {
      void* result;
      pthread_join(threads[i], &result);
      sum += (long)result;
    }
    sum += touch(7);
    dlclose(plugin);
  }
  say("sum %ld\n", sum);
  print_account();
  return 0;
}
