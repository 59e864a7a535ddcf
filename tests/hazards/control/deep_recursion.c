// A recursion of 100,000 frames that allocates at every one on the way down and frees on the way
// back.
#include <pthread.h>

#include "account.h"

enum { kDepth = 100000 };

static int descend(int depth) {
  void* block = take((size_t)(1 + depth % 100));
  int below = depth == 0 ? 0 : descend(depth - 1);
  give(block);
  return below + 1;
}

static void* body(void* result) {
  *(int*)result = descend(kDepth);
  return NULL;
}

int main(void) {
  pthread_attr_t large;
  pthread_attr_init(&large);
  pthread_attr_setstacksize(&large, 256 << 20);
  pthread_t thread;
  int frames = 0;
  require(pthread_create(&thread, &large, body, &frames) == 0, "a thread");
  pthread_join(thread, NULL);
  say("frames %d\n", frames);
  print_account();
  return 0;
}
