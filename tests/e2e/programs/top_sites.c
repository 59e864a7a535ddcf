// A heap that does what it is told, a line at a time: "grow N SIZE" and "steady N SIZE" take so
// many blocks at a site of their own, "shrink N SIZE" takes them and "drop N" gives so many of
// those back, "churn N SIZE" takes a block and gives it back so many times, "deep N SIZE" takes
// them at the bottom of thirty calls, "end" ends. Each line is answered by what all sites hold:
// "NAME BYTES BLOCKS" for each of them. Nothing else in here ever allocates.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kMost = 100000, kSites = 4, kGrow = 0, kSteady = 1, kShrink = 2, kDeep = 3 };

static const char* const kNames[kSites] = {"grow", "steady", "shrink", "deep"};

static struct {
  char* blocks[kMost];
  size_t sizes[kMost];
  int count;
  size_t bytes;
} held[kSites];

static void hold(int site, char* block, size_t size) {
  if (block == NULL || held[site].count == kMost) _exit(9);
  memset(block, 1, size);
  held[site].blocks[held[site].count] = block;
  held[site].sizes[held[site].count++] = size;
  held[site].bytes += size;
}

#define SITE(name, place)                                              \
  __attribute__((noinline)) static void name(int count, size_t size) { \
    for (int i = 0; i < count; ++i) hold(place, malloc(size), size);   \
  }

SITE(grow_here, kGrow)
SITE(steady_here, kSteady)
SITE(shrink_here, kShrink)
SITE(deep_here, kDeep)

__attribute__((noinline)) static void churn_here(int count, size_t size) {
  for (int i = 0; i < count; ++i) {
    volatile char* block = malloc(size);
    if (block == NULL) _exit(9);
    block[0] = 1;
    free((void*)block);
  }
}

__attribute__((noinline)) static void down(int depth, int count, size_t size) {
  if (depth == 0) {
    deep_here(count, size);
  } else {
    down(depth - 1, count, size);
  }
  __asm__ volatile("");  // so that the call is none that replaces this one
}

static void drop(int count) {
  while (count-- > 0 && held[kShrink].count > 0) {
    int last = --held[kShrink].count;
    held[kShrink].bytes -= held[kShrink].sizes[last];
    free(held[kShrink].blocks[last]);
  }
}

static void answer(void) {
  char text[256];
  int length = 0;
  for (int i = 0; i < kSites; ++i) {
    length += snprintf(text + length, sizeof text - (size_t)length, "%s %zu %d ", kNames[i],
                       held[i].bytes, held[i].count);
  }
  text[length - 1] = '\n';
  if (write(1, text, (size_t)length) != length) _exit(8);
}

// One byte at a time: what is behind the line is the next one's.
static int read_line(char* line, size_t most) {
  size_t length = 0;
  char c;
  while (length + 1 < most && read(0, &c, 1) == 1 && c != '\n') line[length++] = c;
  line[length] = '\0';
  return length > 0;
}

int main(void) {
  char line[128];
  char word[32];
  while (read_line(line, sizeof line)) {
    int count = 0;
    size_t size = 0;
    if (sscanf(line, "%31s %d %zu", word, &count, &size) < 1 || strcmp(word, "end") == 0) break;
    if (strcmp(word, "grow") == 0) grow_here(count, size);
    if (strcmp(word, "steady") == 0) steady_here(count, size);
    if (strcmp(word, "shrink") == 0) shrink_here(count, size);
    if (strcmp(word, "deep") == 0) down(30, count, size);
    if (strcmp(word, "churn") == 0) churn_here(count, size);
    if (strcmp(word, "drop") == 0) drop(count);
    answer();
  }
  return 0;
}
