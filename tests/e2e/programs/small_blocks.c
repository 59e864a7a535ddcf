// Many small blocks by a fixed rule: `small_blocks ROUNDS` allocates and frees 1000 blocks of 16 to
// 271 bytes ROUNDS times, 500 of which are always live.
#include <stdlib.h>

int main(int count, char** arguments) {
  static char* blocks[500];
  const long rounds = count > 1 ? atol(arguments[1]) : 1;
  for (long round = 0; round < rounds; ++round) {
    for (unsigned i = 0; i < 1000; ++i) {
      const unsigned place = i * 7919 % 500;
      free(blocks[place]);
      blocks[place] = malloc(16 + (i * 31 + (unsigned)round) % 256);
      if (blocks[place] == NULL) return 1;
    }
  }
  return 0;
}
