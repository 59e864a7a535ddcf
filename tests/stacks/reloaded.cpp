// One plugin takes the addresses of another while this thread's stack stays as it was: the
// innermost frames have the same addresses, stack and frame pointers as before, and where the first
// plugin's return address was, it still is, as old data. But the second plugin's frame is larger,
// so its return address is elsewhere. Who trusts a remembered stack across the change sees the
// first caller; it is the second. A helper thread does the loading, so that nothing is overwritten
// here.
#include <alloca.h>
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#include <string>

namespace {

using Through = void (*)(void (*)());

constexpr size_t kDifference = 0x1000;  // between the plugins' frames
volatile unsigned sink;
volatile size_t padding;

std::string folder;
sem_t wanted;
sem_t loaded;
Through through;

void* load(void*) {
  for (const char* name : {"plugin_narrow.so", "plugin_wide.so"}) {
    sem_wait(&wanted);
    void* plugin = dlopen((folder + name).c_str(), RTLD_NOW);
    if (plugin == nullptr) exit(1);
    through = reinterpret_cast<Through>(dlsym(plugin, "through"));
    sem_post(&loaded);
    sem_wait(&wanted);
    dlclose(plugin);
    sem_post(&loaded);
  }
  return nullptr;
}

__attribute__((noinline)) void ask() {
  sem_post(&wanted);
  sem_wait(&loaded);
}

__attribute__((noinline)) void take() {
  void* block = malloc(100);
  sink += static_cast<unsigned>(reinterpret_cast<size_t>(block));
  free(block);
}

// The same code twice, at two places.
template <int kWhich>
__attribute__((noinline)) void call() {
  sink += reinterpret_cast<size_t>(alloca(padding)) == 0 ? 1 : kWhich;
  through(take);
  sink += kWhich;
}

}  // namespace

int main(int, char** arguments) {
  folder = arguments[0];
  folder.resize(folder.rfind('/') + 1);
  sem_init(&wanted, 0, 0);
  sem_init(&loaded, 0, 0);
  pthread_t helper;
  pthread_create(&helper, nullptr, load, nullptr);
  ask();
  Through first = through;
  padding = kDifference;
  call<1>();
  ask();
  ask();
  padding = 0;
  call<2>();
  bool same = first == through;
  ask();
  pthread_join(helper, nullptr);
  puts(same ? "the same place" : "another place");
  return 0;
}
