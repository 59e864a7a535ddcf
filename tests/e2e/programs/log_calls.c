// Calls whose lines in the log are known: `log_calls HOW`. What it says about itself goes to stdout
// without stdio, which would allocate.
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern void free_sized(void* block, size_t size) __attribute__((weak));
extern void free_aligned_sized(void* block, size_t alignment, size_t size) __attribute__((weak));

__attribute__((format(printf, 2, 3))) static void say(int fd, const char* format, ...) {
  char line[256];
  va_list values;
  va_start(values, format);
  int length = vsnprintf(line, sizeof line, format, values);
  va_end(values);
  if (write(fd, line, (size_t)length) != length) _exit(99);
}

// Keeps the compiler from knowing what a block is.
static void* hidden(void* block) {
  __asm__ volatile("" : "+r"(block));
  return block;
}

static char* address(const void* block) {
  static char text[4][32];
  static unsigned next;
  char* place = text[next++ % 4];
  snprintf(place, sizeof text[0], "0x%lx", (unsigned long)(uintptr_t)block);
  return place;
}

// Each call, followed by its line as it should be.
static int formats(void) {
  void* block = hidden(malloc(10));
  say(1, "malloc\t10\t%s\n", address(block));
  void* moved = hidden(realloc(block, 100000));
  say(1, "realloc\t%s 100000\t%s\n", address(block), address(moved));
  size_t usable = malloc_usable_size(moved);
  say(1, "malloc_usable_size\t%s\t%zu\n", address(moved), usable);
  free(moved);
  say(1, "free\t%s\t-\n", address(moved));
  free(hidden(NULL));
  say(1, "free\t0x0\t-\n");
  block = hidden(calloc(3, 7));
  say(1, "calloc\t3 7\t%s\n", address(block));
  moved = hidden(reallocarray(block, 5, 9));
  say(1, "reallocarray\t%s 5 9\t%s\n", address(block), address(moved));
  block = hidden(realloc(moved, 0));
  say(1, "realloc\t%s 0\t%s\n", address(moved), address(block));
  int error = posix_memalign(&block, 64, 1000);
  say(1, "posix_memalign\t64 1000\t%s\n", error == 0 ? address(block) : "?");
  if (free_sized != NULL) {
    free_sized(block, 1000);
    say(1, "free_sized\t%s 1000\t-\n", address(block));
  }
  if (posix_memalign(&block, 3, 10) != EINVAL) return 1;
  say(1, "posix_memalign\t3 10\tEINVAL\n");
  block = hidden(aligned_alloc(64, 128));
  say(1, "aligned_alloc\t64 128\t%s\n", address(block));
  if (free_aligned_sized != NULL) {
    free_aligned_sized(block, 64, 128);
    say(1, "free_aligned_sized\t%s 64 128\t-\n", address(block));
  }
  block = hidden(memalign(32, 9));
  say(1, "memalign\t32 9\t%s\n", address(block));
  block = hidden(valloc(5));
  say(1, "valloc\t5\t%s\n", address(block));
  block = hidden(pvalloc(5));
  say(1, "pvalloc\t5\t%s\n", address(block));
  errno = 0;
  block = hidden(malloc(SIZE_MAX));
  if (block != NULL || errno != ENOMEM) return 1;
  say(1, "malloc\t18446744073709551615\tENOMEM\n");
  block = hidden(reallocarray(NULL, (size_t)1 << 40, (size_t)1 << 40));
  if (block != NULL || errno != ENOMEM) return 1;
  say(1, "reallocarray\t0x0 1099511627776 1099511627776\tENOMEM\n");
  errno = 77;
  free(hidden(malloc(1234)));
  say(1, "malloc\t1234\t*\nfree\t*\t-\n");
  return errno == 77 ? 0 : 1;
}

static void take(int count, size_t size) {
  for (int i = 0; i < count; ++i) free(hidden(malloc(size)));
}

static void* mixed(void* number) {
  for (int i = 0; i < 300; ++i) {
    take(1, 111);
    say(2, "own line %d of %d\n", i, (int)(intptr_t)number);
  }
  return NULL;
}

// Four threads allocate and write to stderr themselves.
static int mix(void) {
  pthread_t threads[4];
  for (intptr_t i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, mixed, (void*)i);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  return 0;
}

// Descriptor 2 becomes a file of the program's own.
static int reuse(void) {
  take(10, 222);
  close(2);
  if (open("own.txt", O_CREAT | O_RDWR, 0666) != 2) return 1;
  say(2, "first\n");
  take(10, 222);
  say(2, "second\n");
  return 0;
}

// Closes all that it did not open, in every way, and takes all numbers that the log may be under.
static int closes(void) {
  take(10, 888);
  for (int fd = 3; fd < 1100; ++fd) close(fd);
  if (open("own.txt", O_CREAT | O_RDWR, 0666) != 3) return 1;
  take(10, 888);
  if (close_range(4, ~0u, 0) != 0) return 2;
  take(10, 888);
  for (int fd = 900; fd < 1024; ++fd) {
    if (dup2(3, fd) != fd) return 3;
  }
  take(10, 888);
  for (int fd = 900; fd < 1024; ++fd) {
    if (close(fd) != 0) return 4;
  }
  take(10, 888);
  return 0;
}

static int forks(void) {
  take(5, 333);
  pid_t child = fork();
  if (child == 0) {
    take(7, 444);
    _exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  take(5, 333);
  say(1, "%d %d\n", getpid(), child);
  return status;
}

__attribute__((noinline)) static int deep(int left) {
  if (left == 0) {
    take(1, 555);
    return 0;
  }
  int result = deep(left - 1);
  __asm__ volatile("" : "+r"(result));
  return result;
}

int main(int count, char** words) {
  const char* how = count > 1 ? words[1] : "";
  if (strcmp(how, "formats") == 0) return formats();
  if (strcmp(how, "mix") == 0) return mix();
  if (strcmp(how, "reuse") == 0) return reuse();
  if (strcmp(how, "closes") == 0) return closes();
  if (strcmp(how, "forks") == 0) return forks();
  if (strcmp(how, "deep") == 0) return deep(1000);
  if (strcmp(how, "takes") == 0) take(100, 666);
  if (strcmp(how, "killed") == 0) {
    take(100, 777);
    kill(getpid(), SIGKILL);
  }
  return 0;
}
