// A thread unloads a plugin, and before it is back from dlclose another thread has loaded another
// plugin, mostly at the same place, and allocates in it by the same stack. The program has
// a dl_iterate_phdr of its own, as some have to make it faster: whoever asks for the list of
// objects after an unload waits in it for the other thread. Where nobody asks, that thread comes
// afterwards.
#include <link.h>
#include <pthread.h>
#include <semaphore.h>

#include "load.h"

enum { kRounds = 20, kBlocks = 10 };
typedef int (*Callback)(struct dl_phdr_info*, size_t, void*);

static int (*next)(Callback, void*);
static int unloading, same_place;
static PluginCall before;
static sem_t turn, done;

static void let_second_run(void) {
  if (!__atomic_exchange_n(&unloading, 0, __ATOMIC_ACQ_REL)) return;
  sem_post(&turn);
  sem_wait(&done);
}

int dl_iterate_phdr(Callback callback, void* data) {
  let_second_run();
  if (next == NULL) next = (int (*)(Callback, void*))dlsym(RTLD_NEXT, "dl_iterate_phdr");
  return next(callback, data);
}

// Apart from these, both threads do the same by the same calls.
static __attribute__((noinline)) void begin_round(int second) {
  if (second) sem_wait(&turn);
}

static __attribute__((noinline)) void begin_unload(int second, PluginCall place) {
  same_place += second && place == before;
  before = place;
  if (!second) __atomic_store_n(&unloading, 1, __ATOMIC_RELEASE);
}

static __attribute__((noinline)) void end_unload(int second) {
  if (second) {
    sem_post(&done);
  } else {
    let_second_run();
  }
}

static void* loads(void* name) {
  int second = strcmp(name, "plugin_two") == 0;
  for (int round = 0; round < kRounds; ++round) {
    begin_round(second);
    void* plugin = load_plugin(name, RTLD_NOW);
    PluginCall call = find_call(plugin, "plugin_take");
    void* blocks[kBlocks];
    call(blocks, kBlocks);
    find_call(plugin, "plugin_give")(blocks, kBlocks);
    begin_unload(second, call);
    dlclose(plugin);
    end_unload(second);
  }
  return NULL;
}

int main(int count, char** arguments) {
  (void)count;
  find_plugins(arguments[0]);
  sem_init(&turn, 0, 0);
  sem_init(&done, 0, 0);
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, loads, "plugin_one");
  pthread_create(&threads[1], NULL, loads, "plugin_two");
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  say_to(2, "same place %d\n", same_place);
  say("done\n");
  return 0;
}
