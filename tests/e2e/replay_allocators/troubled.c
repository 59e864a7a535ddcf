// libc's allocator until the 1000th call, and then trouble: it crashes, hangs, or has no memory.
#include <stdatomic.h>
#include <unistd.h>

#include "over_libc.h"

static atomic_int calls;

static void before(int allocates) {
  (void)allocates;
  if (++calls < 1000) return;
#if TROUBLE == 1
  __builtin_trap();
#else
  for (;;) pause();
#endif
}
