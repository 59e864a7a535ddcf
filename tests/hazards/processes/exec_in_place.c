// Execs itself several times in the same process, from the main thread or ("thread") from another
// while a third allocates. Each image prints which descriptors it sees.
#include <dirent.h>
#include <pthread.h>

#include "account.h"

static char* self;
static char next[8];

static void print_descriptors(void) {
  DIR* folder = opendir("/proc/self/fd");
  require(folder != NULL, "/proc/self/fd");
  for (struct dirent* entry; (entry = readdir(folder)) != NULL;)
    if (entry->d_name[0] != '.') say("fd %s\n", entry->d_name);
  closedir(folder);
}

static void* busy(void* unused) {
  for (;;) free(malloc(40));
  return unused;
}

static void* replace(void* mode) {
  execl(self, self, next, (char*)mode, (char*)NULL);
  _exit(127);
}

int main(int count, char** arguments) {
  require(count == 3, "two arguments");
  int step = atoi(arguments[1]);
  self = arguments[0];
  say("step %d\n", step);
  print_descriptors();
  for (int i = 0; i < 1000 + step; ++i) require(take(32) != NULL, "a block");
  print_account();
  if (step == 0) return 40;
  snprintf(next, sizeof next, "%d", step - 1);
  if (strcmp(arguments[2], "main") == 0) replace(arguments[2]);
  pthread_t thread;
  pthread_create(&thread, NULL, busy, NULL);
  pthread_create(&thread, NULL, replace, arguments[2]);
  pthread_join(thread, NULL);
  return 96;
}
