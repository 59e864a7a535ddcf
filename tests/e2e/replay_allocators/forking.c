// libc's allocator, which starts a process at the first call that goes on for ever. Its number is
// written to the file that FORKING_ALLOCATOR names, one a line.
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "over_libc.h"

static atomic_flag started = ATOMIC_FLAG_INIT;

static void before(int allocates) {
  (void)allocates;
  if (atomic_flag_test_and_set(&started)) return;
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  const char* path = getenv("FORKING_ALLOCATOR");
  const int file = path == NULL ? -1 : open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (file < 0) return;
  dprintf(file, "%d\n", (int)child);
  close(file);
}
