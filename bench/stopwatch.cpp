// Runs one command and writes what it cost: wall, user and system time in nanoseconds, the peak of
// its memory in bytes and its wait status, its children included. A small program of its own
// because the kernel counts the memory of whoever starts a command into the command's peak, and
// because LD_PRELOAD must be set for the command alone.
//
//   stopwatch RESULT_FILE [NAME=VALUE…] -- COMMAND [ARGUMENT…]

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace {

long long now_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

long long in_ns(const timeval& time) {
  return time.tv_sec * 1000000000LL + time.tv_usec * 1000LL;
}

int usage() {
  fprintf(stderr, "usage: stopwatch RESULT_FILE [NAME=VALUE...] -- COMMAND [ARGUMENT...]\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  int command = 2;
  while (command < argc && strcmp(argv[command], "--") != 0) ++command;
  if (++command >= argc) return usage();

  long long start = now_ns();
  pid_t child = fork();
  if (child == 0) {
    for (int i = 2; i < command - 1; ++i) putenv(argv[i]);
    execvp(argv[command], argv + command);
    fprintf(stderr, "stopwatch: cannot run %s: %s\n", argv[command], strerror(errno));
    _exit(127);
  }
  int status = 0;
  rusage used;
  if (child < 0 || wait4(child, &status, 0, &used) != child) {
    perror("stopwatch");
    return 1;
  }
  long long wall = now_ns() - start;

  FILE* result = fopen(argv[1], "w");
  if (result == nullptr) {
    perror(argv[1]);
    return 1;
  }
  fprintf(result, "%lld %lld %lld %lld %d\n", wall, in_ns(used.ru_utime), in_ns(used.ru_stime),
          used.ru_maxrss * 1024LL, status);
  return fclose(result) == 0 ? 0 : 1;
}
