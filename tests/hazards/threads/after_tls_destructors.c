// Threads that allocate in the destructors of their thread-specific keys, several rounds long: each
// destructor sets its key again until libc gives up.
#include <limits.h>
#include <pthread.h>

#include "account.h"

// More keys than libc keeps in a thread itself: for the others it allocates.
enum { kKeys = 40, kThreads = 20 };
static pthread_key_t keys[kKeys];
static long rounds;

static void destroy(void* block) {
  give(block);
  account_add(&rounds, 1);
  void* again = take(77);
  for (int i = 0; i < kKeys; ++i) {
    if (pthread_getspecific(keys[i]) != NULL) continue;
    pthread_setspecific(keys[i], again);
    return;
  }
  give(again);
}

static void* body(void* unused) {
  for (int i = 0; i < kKeys; ++i) pthread_setspecific(keys[i], take(33));
  return unused;
}

int main(void) {
  // The first of these keys is older than any that a library makes later.
  for (int i = 0; i < kKeys; ++i) require(pthread_key_create(&keys[i], destroy) == 0, "a key");
  for (int i = 0; i < kThreads; ++i) {
    pthread_t thread;
    require(pthread_create(&thread, NULL, body, NULL) == 0, "a thread");
    pthread_join(thread, NULL);
  }
  say("rounds %ld, at least %d each\n", rounds, PTHREAD_DESTRUCTOR_ITERATIONS);
  print_account();
  return 0;
}
