// Maps memory in ways whose sum is known: `maps HOW`. Pages are 4,096 bytes; all addresses that
// matter lie in one range that the program reserved, so that nothing of anybody else's is hit.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kPage = 4096 };

__attribute__((noinline)) static char* map_pages(char* at, size_t pages) {
  int fixed = at == NULL ? 0 : MAP_FIXED;
  char* got =
      mmap(at, pages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0);
  if (got == MAP_FAILED) _exit(1);
  return got;
}

__attribute__((noinline)) static char* remap_pages(char* at, size_t pages, size_t wanted) {
  char* got = mremap(at, pages * kPage, wanted * kPage, MREMAP_MAYMOVE);
  if (got == MAP_FAILED) _exit(2);
  return got;
}

// mmap 100 pages; 10 in the middle unmapped; 20 mapped over, 15 of them over mapped ones; the first
// 30 remapped to 50; the last 20 unmapped.
static void split(void) {
  char* area = map_pages(NULL, 100);            // mapped 100, live 100
  munmap(area + 40 * kPage, 10 * kPage - 100);  // unmapped 10, live 90; the size is rounded up
  map_pages(area + 45 * kPage, 20);             // mapped 120, unmapped 25 (15 replaced), live 95
  char* moved = remap_pages(area, 30, 50);      // mapped 170, unmapped 55, live 115
  munmap(area + 80 * kPage, 20 * kPage);        // unmapped 75, live 95
  munmap(area + 80 * kPage, 20 * kPage);        // once more: nothing there
  moved[0] = 'x';
  if (mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) _exit(3);
}

// sbrk by 3 pages up, 1 down; and a look, which is no change.
static void breaks(void) {
  char* before = sbrk(3 * kPage);
  sbrk(0);
  if (sbrk(-kPage) != before + 3 * kPage) _exit(4);
  if (brk(before + 5 * kPage) != 0 || sbrk(0) != before + 5 * kPage) _exit(5);
}

static void* many(void* unused) {
  for (int i = 0; i < 200; ++i) munmap(map_pages(NULL, 2), 2 * kPage);
  return unused;
}

static void threads(void) {
  pthread_t all[4];
  for (int i = 0; i < 4; ++i) pthread_create(&all[i], NULL, many, NULL);
  for (int i = 0; i < 4; ++i) pthread_join(all[i], NULL);
}

static void forks(void) {
  map_pages(NULL, 7);
  pid_t child = fork();
  if (child == 0) {
    map_pages(NULL, 5);
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

int main(int count, char** words) {
  const char* how = count > 1 ? words[1] : "";
  if (strcmp(how, "split") == 0) split();
  if (strcmp(how, "breaks") == 0) breaks();
  if (strcmp(how, "threads") == 0) threads();
  if (strcmp(how, "forks") == 0) forks();
  free(malloc(1));
  return 0;
}
