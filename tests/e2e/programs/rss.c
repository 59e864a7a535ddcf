// Has resident memory of a known kind: `rss HOW [wait]`. Prints what the kernel says is resident,
// and ends with all of it in place, or waits with it for the end of its input. Pages are 4,096
// bytes, and never huge.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define APART __attribute__((noinline))
enum { kPage = 4096, kMiB = 1 << 20, kRun = 4, kThreads = 4 };

static pthread_barrier_t all_there;
static void* volatile kept;

static void touch(char* at, size_t bytes) {
  for (size_t i = 0; i < bytes; i += kPage) ((volatile char*)at)[i] = 'x';
}

// `count` blocks of 1,000 bytes, of which glibc makes chunks of 1,008: four are nearly a page.
APART static char** fill(size_t count) {
  char** blocks =
      mmap(NULL, count * sizeof *blocks, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  for (size_t i = 0; i < count; ++i) {
    blocks[i] = malloc(1000);
    memset(blocks[i], 'x', 1000);
  }
  return blocks;
}

// Every second run of four goes; none is next to the end of the heap.
static void make_holes(char** blocks, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (i / kRun % 2 == 0) free(blocks[i]);
  }
  munmap(blocks, count * sizeof *blocks);
}

static void holes(void) {
  char** blocks = fill(80000);
  kept = malloc(1000);
  make_holes(blocks, 80000);
  kept = memset(malloc(8 * kMiB), 'x', 8 * kMiB);  // a new height, with pages of its own
}

static void* fill_arena(void* unused) {
  char** blocks = fill(8000);
  make_holes(blocks, 8000);
  pthread_barrier_wait(&all_there);
  pause();
  return unused;
}

static void* use_stack(void* unused) {
  char room[3 * kMiB];
  touch(room, sizeof room);
  pthread_barrier_wait(&all_there);
  pause();
  return unused;
}

static void threads(void* (*body)(void*)) {
  pthread_barrier_init(&all_there, NULL, kThreads + 1);
  for (int i = 0; i < kThreads; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, body, NULL) != 0) _exit(1);
  }
  pthread_barrier_wait(&all_there);
}

static void recurse(int left) {
  volatile char room[64 * 1024];
  for (size_t i = 0; i < sizeof room; i += kPage) room[i] = 'x';
  if (left > 1) recurse(left - 1);
  room[0] = 'y';
}

APART static void map(int fd, int flags) {
  char* at = mmap(NULL, 64 * kMiB, PROT_READ | PROT_WRITE, flags, fd, 0);
  if (at == MAP_FAILED) _exit(2);
  touch(at, 40 * kMiB);
}

static void map_file(void) {
  int fd = open("mapped", O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (fd < 0 || ftruncate(fd, 64 * kMiB) != 0) _exit(3);
  map(fd, MAP_SHARED);
}

APART static void live(void) {
  for (int i = 0; i < 80000; ++i) memset(malloc(500), 'x', 500);
}

// For a while, and with no call of the heap in that time.
static void silent(void) {
  char* at = mmap(NULL, 64 * kMiB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  touch(at, 64 * kMiB);
  munmap(at, 64 * kMiB);
}

static void print_resident(void) {
  char text[4096];
  int fd = open("/proc/self/smaps_rollup", O_RDONLY);
  long bytes = read(fd, text, sizeof text - 1);
  if (bytes <= 0) _exit(4);
  text[bytes] = '\0';
  const char* at = strstr(text, "\nRss:");
  char line[64];
  int length = snprintf(line, sizeof line, "%ld\n", at == NULL ? 0 : atol(at + 5) * 1024);
  if (write(1, line, (size_t)length) != length) _exit(5);
  close(fd);
}

int main(int count, char** words) {
  const char* how = count > 1 ? words[1] : "";
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
  kept = malloc(100);
  if (strcmp(how, "holes") == 0) holes();
  if (strcmp(how, "arenas") == 0) threads(fill_arena);
  if (strcmp(how, "stacks") == 0) threads(use_stack);
  if (strcmp(how, "main-stack") == 0) recurse(64);
  if (strcmp(how, "maps") == 0) map(-1, MAP_PRIVATE | MAP_ANONYMOUS);
  if (strcmp(how, "file") == 0) map_file();
  if (strcmp(how, "live") == 0) live();
  if (strcmp(how, "untouched") == 0) kept = malloc(64 * kMiB);
  if (strcmp(how, "silent") == 0) silent();
  usleep(20000);
  kept = malloc(100);
  print_resident();
  char unused;
  if (count > 2) return read(0, &unused, 1) == 0 ? 0 : 6;
  return 0;
}
