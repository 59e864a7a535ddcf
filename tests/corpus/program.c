// What the ledgers of the corpus are recordings of: every function, two threads, resizes that move
// and that do not, temporary blocks, leaks, pools, mappings that are given back in parts, markers,
// a forked child. Every figure of it is the same at each run.
#define _GNU_SOURCE
#include <heapledger.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void* volatile kept[64];

static void must(int right) {
  if (!right) _exit(70);
}

__attribute__((noinline)) static void* take(size_t size) {
  void* block = malloc(size);
  must(block != NULL);
  return block;
}

__attribute__((noinline)) static void* deeper(int depth, size_t size) {
  void* block = depth == 0 ? take(size) : deeper(depth - 1, size);
  __asm__ volatile("" ::: "memory");
  return block;
}

static void churn(int count) {
  for (int i = 0; i < count; ++i) free(deeper(i % 5, 16 + (size_t)i * 24 % 700));
}

static void each_function(void) {
  void* aligned = NULL;
  kept[0] = calloc(3, 100);
  kept[1] = realloc(NULL, 50);
  kept[1] = realloc(kept[1], 60000);
  kept[1] = realloc(kept[1], 59000);
  kept[2] = reallocarray(NULL, 7, 11);
  kept[2] = reallocarray(kept[2], 70, 110);
  must(posix_memalign(&aligned, 256, 1000) == 0);
  kept[3] = aligned;
  kept[4] = aligned_alloc(64, 640);
  kept[5] = memalign(4096, 300);
  kept[6] = valloc(500);
  kept[7] = pvalloc(700);
  free(realloc(take(40), 0));
  for (int i = 3; i < 6; ++i) free(kept[i]);
}

static void* in_thread(void* nothing) {
  pthread_setname_np(pthread_self(), "worker");
  for (int i = 8; i < 24; ++i) kept[i] = deeper(3, 1000 + (size_t)i);
  churn(100);
  return nothing;
}

static void pools(void) {
  static char arena[4096];
  unsigned one = heapledger_pool("arena"), two = heapledger_pool("strings");
  for (int i = 0; i < 20; ++i) heapledger_pool_alloc(one, arena + 100 * i, 90);
  for (int i = 0; i < 15; ++i) heapledger_pool_free(one, arena + 100 * i);
  heapledger_pool_alloc(two, arena + 3000, 16);
  heapledger_pool_resize(two, arena + 3000, arena + 3100, 64);
}

static void mappings(void) {
  enum { kPage = 4096 };
  char* place = mmap(NULL, 20 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  must(place != MAP_FAILED);
  must(munmap(place, 5 * kPage) == 0);
  must(munmap(place + 10 * kPage, 2 * kPage) == 0);
  must(mremap(place + 12 * kPage, 8 * kPage, 16 * kPage, MREMAP_MAYMOVE) != MAP_FAILED);
}

static void child(void) {
  free(kept[8]);
  kept[9] = take(12345);
  churn(20);
  _exit(0);
}

// One byte too many, which a guard notices when the block is freed.
static void overrun(void) {
  char* block = take(24);
  block[24] = 1;
  free(block);
}

int main(int count, char** words) {
  if (count > 1 && strcmp(words[1], "switch") == 0) must(heapledger_start());
  heapledger_marker("begin");
  churn(300);
  each_function();
  heapledger_marker("functions");
  pthread_t thread;
  must(pthread_create(&thread, NULL, in_thread, NULL) == 0);
  must(pthread_join(thread, NULL) == 0);
  heapledger_marker("thread");
  if (count > 1 && strcmp(words[1], "switch") == 0) must(heapledger_mode("sample sample-calls=2"));
  pools();
  mappings();
  pid_t forked = fork();
  if (forked == 0) child();
  int status;
  must(waitpid(forked, &status, 0) == forked && status == 0);
  for (int i = 8; i < 20; ++i) free(kept[i]);
  if (count > 1 && strcmp(words[1], "overrun") == 0) overrun();
  heapledger_marker("end");
  return 0;
}
