// Damages its own blocks, or does not: `damage HOW`. Every faulty block has 40 bytes, is allocated
// in make_block and ends in end_block.
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((noinline)) static char* make_block(void) {
  char* block = malloc(40);
  __asm__ volatile("" : "+r"(block));
  return block;
}

__attribute__((noinline)) static void end_block(void* block) {
  __asm__ volatile("" : "+r"(block));
  free(block);
  __asm__ volatile("");
}

static void require(int condition, int code) {
  if (!condition) _exit(code);
}

// All of the family, used as it should be.
static void clean(void) {
  char* block = malloc(100);
  require(malloc_usable_size(block) >= 100 && (uintptr_t)block % 16 == 0, 10);
  memset(block, 7, 100);
  block = realloc(block, 1000);
  for (int i = 0; i < 100; ++i) require(block[i] == 7, 11);
  block = realloc(block, 300000);
  block = realloc(block, 600000);
  for (int i = 0; i < 100; ++i) require(block[i] == 7, 12);
  memset(block, 8, 600000);
  block = realloc(block, 50);
  for (int i = 0; i < 50; ++i) require(block[i] == 8, 13);
  free(block);
  char* zeros = calloc(33, 3);
  for (int i = 0; i < 99; ++i) require(zeros[i] == 0, 14);
  free(zeros);
  for (size_t alignment = 8; alignment <= 65536; alignment *= 2) {
    void* aligned = NULL;
    require(posix_memalign(&aligned, alignment, 77) == 0, 15);
    require((uintptr_t)aligned % alignment == 0, 16);
    memset(aligned, 1, 77);
    aligned = realloc(aligned, 777);
    require(((char*)aligned)[76] == 1, 17);
    free(aligned);
    aligned = memalign(alignment, 5);
    require((uintptr_t)aligned % alignment == 0, 18);
    free(aligned);
    aligned = aligned_alloc(alignment, 2 * alignment);
    require((uintptr_t)aligned % alignment == 0, 19);
    memset(aligned, 2, 2 * alignment);
    free(aligned);
  }
  char* page = valloc(10);
  require((uintptr_t)page % 4096 == 0, 20);
  char* whole = pvalloc(10);
  memset(whole, 3, 4096);
  free(page);
  free(whole);
  void* wrong = NULL;
  require(posix_memalign(&wrong, 3, 10) == EINVAL, 21);
  errno = 0;
  require(malloc(SIZE_MAX) == NULL && errno == ENOMEM, 22);
  errno = 0;
  require(calloc(SIZE_MAX, 16) == NULL && errno == ENOMEM, 23);
  block = malloc(10);
  errno = 0;
  require(realloc(block, SIZE_MAX - 8) == NULL && errno == ENOMEM, 24);
  require(realloc(block, 0) == NULL, 25);
  require(reallocarray(NULL, SIZE_MAX, 2) == NULL, 26);
  free(reallocarray(NULL, 4, 10));
  free(NULL);
  errno = 77;
  free(malloc(0));
  require(errno == 77, 27);
}

int main(int count, char** words) {
  const char* how = count > 1 ? words[1] : "";
  char* block = NULL;
  if (strcmp(how, "clean") == 0) clean();
  if (strcmp(how, "after") == 0) {
    block = make_block();
    block[40] = 1;
    end_block(block);
  }
  if (strcmp(how, "before") == 0) {
    block = make_block();
    block[-1] = 1;
    end_block(block);
  }
  if (strcmp(how, "twice") == 0) {
    block = make_block();
    char* other = malloc(40);
    end_block(block);
    free(other);
    end_block(block);
    free(malloc(40));
  }
  if (strcmp(how, "resize") == 0) {
    block = make_block();
    memset(block, 'x', 42);
    block = realloc(block, 100);
    require(block[39] == 'x', 30);
    end_block(block);
  }
  if (strcmp(how, "usable") == 0) {
    block = make_block();
    require(malloc_usable_size(block) == 40, 31);
    end_block(block);
  }
  return write(1, "went on\n", 8) == 8 ? 0 : 1;
}
