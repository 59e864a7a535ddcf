// Several threads load and unload plugins and walk the list of objects while others allocate.
#include <link.h>
#include <pthread.h>

#include "load.h"

enum { kRounds = 200 };
static volatile int stop;

static int callback(struct dl_phdr_info* info, size_t size, void* unused) {
  (void)info, (void)size, (void)unused;
  give(take(40));
  return 0;
}

static void* loads(void* name) {
  for (int i = 0; i < kRounds; ++i) {
    void* plugin = load_plugin(name, RTLD_NOW);
    void* blocks[4];
    find_call(plugin, "plugin_take")(blocks, 4);
    dl_iterate_phdr(callback, NULL);
    find_call(plugin, "plugin_give")(blocks, 4);
    dlclose(plugin);
  }
  return NULL;
}

static void* allocates(void* unused) {
  while (!stop) churn(200);
  return unused;
}

int main(int count, char** arguments) {
  (void)count;
  find_plugins(arguments[0]);
  pthread_t loaders[2], others[2];
  pthread_create(&loaders[0], NULL, loads, "plugin_one");
  pthread_create(&loaders[1], NULL, loads, "plugin_two");
  for (int i = 0; i < 2; ++i) pthread_create(&others[i], NULL, allocates, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(loaders[i], NULL);
  stop = 1;
  for (int i = 0; i < 2; ++i) pthread_join(others[i], NULL);
  say("done\n");
  say_to(2, "account calls=%ld bytes=%ld frees=%ld resizes=0\n", account_calls, account_bytes,
         account_frees);
  return 0;
}
