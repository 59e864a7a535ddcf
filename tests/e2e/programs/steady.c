// Allocates by a fixed rule and frees some of it: the same in every run, and nothing but malloc,
// calloc, realloc and free, so that other tools count it the same way.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
  static char* blocks[1000];
  for (unsigned round = 0; round < 40; ++round) {
    for (unsigned i = 0; i < 1000; ++i) {
      unsigned dice = (i * 7919 + round * 104729) % 16;
      size_t bytes = 1 + (i * 31 + round * 17) % 3000;
      if (blocks[i] == NULL)
        blocks[i] = dice < 12 ? malloc(bytes) : calloc(bytes, 2);
      else if (dice < 6)
        blocks[i] = realloc(blocks[i], bytes);
      else {
        free(blocks[i]);
        blocks[i] = NULL;
        continue;
      }
      if (blocks[i] == NULL) return 1;
      memset(blocks[i], (int)i, bytes);
    }
  }
  return write(1, "steady\n", 7) == 7 ? 0 : 2;
}
