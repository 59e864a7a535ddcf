// A plugin whose constructor, under the loader's lock, waits for threads of the program that
// allocate. They were started before and get going now.
#include <stdlib.h>

extern void while_loading(void);

__attribute__((constructor)) static void on_load(void) {
  while_loading();
}
__attribute__((destructor)) static void on_unload(void) {
  while_loading();
}
