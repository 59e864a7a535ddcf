// libc's allocator, and 5 us more for every call: what is left out of a replay is then worth its
// share of the calls.
#include <stdint.h>
#include <time.h>

#include "../replay_allocators/over_libc.h"

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void before(int allocates) {
  (void)allocates;
  const int64_t end = now_ns() + 5000;
  while (now_ns() < end) continue;
}
