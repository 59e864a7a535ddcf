// Takes blocks, keeps them, and ends in one of many ways.
//
//   live_ends COUNT WHEN LIMIT END
//
// WHEN `first` or `last`: the limit is set before the blocks are taken, or after. LIMIT: none,
// fsize=N, nofile=N, memory (no more than is mapped by then), user (another user), root (another
// root folder), refused (a filter of system calls that the kernel does not accept), as many of them
// as wanted, with commas. END: exit, hold (writes "ready\n" and waits), hold-read (the same in a
// blocked read), thread (the same, another thread holds the last block), N (signal N, sent to
// itself), dfl=N (the same in a handler that has set the default again), handler (exit in a
// handler). It prints how many blocks it has got, COUNT of them, 10 of which before any limit.
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

enum { kBytes = 24 };
static void* volatile kept;

__attribute__((noinline)) static long take(long count) {
  long got = 0;
  for (; got < count; ++got) {
    void** block = malloc(kBytes);
    if (block == NULL) break;
    *block = kept;
    kept = block;
  }
  return got;
}

static void must(int right, const char* what) {
  if (right) return;
  fprintf(stderr, "%s failed\n", what);
  _exit(70);
}

static void limit(int which, long most) {
  struct rlimit both = {(rlim_t)most, (rlim_t)most};
  must(setrlimit(which, &both) == 0, "setrlimit");
}

static long mapped_bytes(void) {
  char text[64] = "";
  int fd = open("/proc/self/statm", O_RDONLY);
  must(fd >= 0 && read(fd, text, sizeof text - 1) > 0, "statm");
  close(fd);
  return atol(text) * sysconf(_SC_PAGESIZE);
}

static void set_limit(const char* name) {
  if (strncmp(name, "fsize=", 6) == 0) limit(RLIMIT_FSIZE, atol(name + 6));
  if (strncmp(name, "nofile=", 7) == 0) limit(RLIMIT_NOFILE, atol(name + 7));
  if (strcmp(name, "memory") == 0) limit(RLIMIT_AS, mapped_bytes());
  if (strcmp(name, "root") == 0) must(chroot(".") == 0 && chdir("/") == 0, "chroot");
  if (strcmp(name, "refused") == 0) {
    struct sock_fprog empty = {0, NULL};
    must(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &empty) == -1 && errno == EINVAL,
         "seccomp");
  }
  if (strcmp(name, "user") == 0) {
    must(setgroups(0, NULL) == 0 && setgid(65534) == 0 && setuid(65534) == 0, "setuid");
  }
}

static void set_limits(char* names) {
  for (char* name = strtok(names, ","); name != NULL; name = strtok(NULL, ",")) set_limit(name);
}

static void say_ready(void) {
  must(write(1, "ready\n", 6) == 6, "write");
}

static void* take_one(void* nothing) {
  take(1);
  say_ready();
  for (;;) pause();
  return nothing;
}

static void end_by_default(int number) {
  signal(number, SIG_DFL);
  raise(number);
}

static void leave(int number) {
  (void)number;
  exit(0);
}

// A handler ends the program, most likely in the middle of one of these calls.
static void end_in_handler(void) {
  struct itimerval soon = {{0, 0}, {0, 3000}};
  signal(SIGALRM, leave);
  setitimer(ITIMER_REAL, &soon, NULL);
  for (;;) free(malloc(kBytes));
}

static int end(const char* how) {
  pthread_t other;
  char byte;
  int pipe_ends[2];
  if (strcmp(how, "exit") == 0) return 0;
  if (strcmp(how, "handler") == 0) end_in_handler();
  if (strcmp(how, "hold") == 0) say_ready();
  if (strcmp(how, "hold-read") == 0) {
    must(pipe(pipe_ends) == 0, "pipe");
    say_ready();
    must(read(pipe_ends[0], &byte, 1) == 1, "read");
  }
  if (strcmp(how, "thread") == 0) must(pthread_create(&other, NULL, take_one, NULL) == 0, "thread");
  if (strncmp(how, "dfl=", 4) == 0) {
    signal(atoi(how + 4), end_by_default);
    raise(atoi(how + 4));
  }
  if (atoi(how) > 0) raise(atoi(how));
  for (;;) pause();
}

int main(int count, char** words) {
  must(count == 5, "usage");
  if (strstr(words[3], "memory") != NULL) {
    // The heap has room for all of it before the limit, so that only others meet it.
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    void* room = sbrk(0);
    free(calloc((size_t)atol(words[1]), 40));
    must(room != sbrk(0), "room");
  }
  long got = take(10);  // whatever is begun with the first calls is there
  if (strcmp(words[2], "first") == 0) set_limits(words[3]);
  got += take(atol(words[1]) - 10);
  char text[64];
  int bytes = snprintf(text, sizeof text, "%ld\n", got);
  must(write(1, text, (size_t)bytes) == bytes, "write");
  if (strcmp(words[2], "last") == 0) set_limits(words[3]);
  return end(words[4]);
}
