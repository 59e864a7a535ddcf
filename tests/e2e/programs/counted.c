// Uses the heap by simple rules, so that what must have been counted can be said on paper:
//   counted sizes          n + 1 blocks of the n-th size in the list, all freed again
//   counted threads N      N threads, eight at a time; each takes and frees ten blocks of 100 bytes
//   counted switched       eight threads in the mode it finds, then mode count and 32 more
//   counted crowd N        N threads that live at the same time; each takes five blocks of 50 bytes
//   counted signals        a handler allocates while the thread does; prints calls, bytes, frees
//   counted fork           five blocks of 10 bytes, then seven of 300 in a child, three freed there
//   counted live           takes, frees, resizes; prints live blocks, usable bytes and their peak
//   counted slowly N       N blocks of 1000 bytes, each freed, one every 5 ms
//   counted starts CMD …   four blocks of 10 bytes, then runs CMD and waits for it
#include <heapledger.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const size_t kSizes[] = {0, 1, 2, 3, 4, 7, 8, 255, 256, 4095, 4096, 100000};
enum { kSizeCount = sizeof kSizes / sizeof kSizes[0], kAtOnce = 8, kMostThreads = 512 };

static long calls, bytes, frees;

static void* take(size_t size) {
  void* block = malloc(size);
  if (block == NULL) _exit(9);
  ++calls;
  bytes += (long)size;
  return block;
}
static void give(void* block) {
  ++frees;
  free(block);
}

// Without stdio, which allocates.
static void print_number(long number, char after) {
  char text[24];
  size_t at = sizeof text;
  text[--at] = after;
  do text[--at] = (char)('0' + number % 10);
  while ((number /= 10) != 0);
  if (write(1, text + at, sizeof text - at) < 0) _exit(8);
}

static int sizes(void) {
  for (int n = 0; n < kSizeCount; ++n)
    for (int i = 0; i <= n; ++i) give(take(kSizes[n]));
  return 0;
}

static void* short_life(void* nothing) {
  for (int i = 0; i < 10; ++i) free(malloc(100));
  return nothing;
}

static int threads(int number) {
  pthread_t ids[kAtOnce];
  for (int i = 0; i < number; i += kAtOnce) {
    for (int j = 0; j < kAtOnce; ++j)
      if (pthread_create(&ids[j], NULL, short_life, NULL) != 0) return 2;
    for (int j = 0; j < kAtOnce; ++j) pthread_join(ids[j], NULL);
  }
  return 0;
}

static int switched(void) {
  return threads(8) != 0 || !heapledger_mode("count") || threads(32) != 0 ? 2 : 0;
}

static pthread_barrier_t all_here;
static void* crowd_member(void* nothing) {
  void* blocks[5];
  pthread_barrier_wait(&all_here);
  for (int i = 0; i < 5; ++i) blocks[i] = malloc(50);
  pthread_barrier_wait(&all_here);
  for (int i = 0; i < 5; ++i) free(blocks[i]);
  return nothing;
}

static int crowd(int number) {
  static pthread_t ids[kMostThreads];
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 64 << 10);
  pthread_barrier_init(&all_here, NULL, (unsigned)number);
  for (int i = 0; i < number; ++i)
    if (pthread_create(&ids[i], &small, crowd_member, NULL) != 0) return 2;
  for (int i = 0; i < number; ++i) pthread_join(ids[i], NULL);
  return 0;
}

// Thread and handler use different sizes that always wait in malloc's cache, where libc touches
// nothing that they have in common.
static volatile int signals;
static void handler(int number) {
  (void)number;
  for (int i = 0; i < 3; ++i) free(malloc(200));
  ++signals;
}

static int with_signals(void) {
  free(malloc(24));
  free(malloc(200));
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval every = {{0, 50}, {0, 50}}, off = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &every, NULL);
  while (signals < 1000) give(take(24));
  setitimer(ITIMER_REAL, &off, NULL);
  print_number(1 + calls, ' ');
  print_number(24 + bytes, ' ');
  print_number(1 + 3 * signals, ' ');
  print_number(200 + 3 * 200L * signals, ' ');
  print_number(2 + frees + 3 * signals, '\n');
  return 0;
}

static int with_fork(void) {
  for (int i = 0; i < 5; ++i) take(10);
  pid_t child = fork();
  if (child == 0) {
    void* blocks[7];
    for (int i = 0; i < 7; ++i) blocks[i] = take(300);
    for (int i = 0; i < 3; ++i) give(blocks[i]);
    exit(0);
  }
  int status;
  return waitpid(child, &status, 0) == child ? status : 2;
}

static long live_blocks, live_bytes, peak_bytes;
static void change(long blocks, long usable) {
  live_blocks += blocks;
  live_bytes += usable;
  if (live_bytes > peak_bytes) peak_bytes = live_bytes;
}

static int live(void) {
  static void* blocks[1000];
  for (int i = 0; i < 1000; ++i) {
    blocks[i] = take((size_t)(i * 7 % 3000));
    change(1, (long)malloc_usable_size(blocks[i]));
  }
  for (int i = 0; i < 1000; i += 2) {
    change(-1, -(long)malloc_usable_size(blocks[i]));
    give(blocks[i]);
  }
  for (int i = 1; i < 1000; i += 20) {
    long before = (long)malloc_usable_size(blocks[i]);
    blocks[i] = realloc(blocks[i], 5000);
    ++calls;
    bytes += 5000;
    change(0, (long)malloc_usable_size(blocks[i]) - before);
  }
  long figures[] = {calls, bytes, frees, live_blocks, live_bytes, peak_bytes};
  for (int i = 0; i < 6; ++i) print_number(figures[i], i < 5 ? ' ' : '\n');
  return 0;
}

static int slowly(int number) {
  struct timespec pause = {0, 5000000};
  for (int i = 0; i < number; ++i) {
    give(take(1000));
    nanosleep(&pause, NULL);
  }
  return 0;
}

static int starts(char** command) {
  for (int i = 0; i < 4; ++i) take(10);
  pid_t child = vfork();
  if (child == 0) {
    execvp(command[0], command);
    _exit(127);
  }
  int status;
  return waitpid(child, &status, 0) == child ? status : 2;
}

int main(int count, char** arguments) {
  const char* what = count > 1 ? arguments[1] : "";
  int number = count > 2 ? atoi(arguments[2]) : 0;
  if (strcmp(what, "sizes") == 0) return sizes();
  if (strcmp(what, "threads") == 0) return threads(number);
  if (strcmp(what, "switched") == 0) return switched();
  if (strcmp(what, "crowd") == 0) return crowd(number);
  if (strcmp(what, "signals") == 0) return with_signals();
  if (strcmp(what, "fork") == 0) return with_fork();
  if (strcmp(what, "live") == 0) return live();
  if (strcmp(what, "slowly") == 0) return slowly(number);
  if (strcmp(what, "starts") == 0) return starts(arguments + 2);
  return 3;
}
