// Loads and unloads the two plugins named (plugin.cpp) so that one takes the addresses of the
// other. Both have the same code at the same addresses, except that their frames differ in size:
// whoever remembers anything of the first walks wrongly through the second. Prints how often the
// place was the same.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include <string>

namespace {

volatile unsigned sink;
int (*close_plugin)(void*) = dlclose;

__attribute__((noinline)) void allocate() {
  void* block = malloc(100);
  sink += static_cast<unsigned>(reinterpret_cast<size_t>(block));
  free(block);
}

void* start_of(void (*function)(void (*)())) {
  Dl_info info;
  return dladdr(reinterpret_cast<void*>(function), &info) != 0 ? info.dli_fbase : nullptr;
}

// Opens the plugin (its constructor allocates), works through it, closes it. Where it was.
__attribute__((noinline)) void* visit(const std::string& path) {
  void* plugin = dlopen(path.c_str(), RTLD_NOW);
  if (plugin == nullptr) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  auto through = reinterpret_cast<void (*)(void (*)())>(dlsym(plugin, "through"));
  auto own = reinterpret_cast<void (*)()>(dlsym(plugin, "own"));
  for (int i = 0; i < 20; ++i) {
    through(allocate);
    own();
  }
  void* start = start_of(through);
  close_plugin(plugin);
  return start;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) return 2;
  if (count > 3) {
    void* libc = dlopen("libc.so.6", RTLD_NOW);
    close_plugin = reinterpret_cast<int (*)(void*)>(dlsym(libc, "dlclose"));
  }
  std::string folder = arguments[0];
  folder.resize(folder.rfind('/') + 1);
  int same = 0;
  for (int i = 0; i < 10; ++i) {
    void* one = visit(folder + arguments[1]);
    void* other = visit(folder + arguments[2]);
    same += one == other ? 1 : 0;
  }
  printf("%d times at one address\n", same);
  return 0;
}
