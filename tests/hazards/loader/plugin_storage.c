// A plugin with thread-local storage of its own, too large for the room that libc keeps ready: the
// loader allocates it when a thread first touches it.
#include <string.h>

static __thread char storage[200000];
static __thread int touched;

int plugin_touch(int value) {
  if (touched == 0) memset(storage, value, sizeof storage);
  ++touched;
  return storage[sizeof storage - 1] + touched;
}
