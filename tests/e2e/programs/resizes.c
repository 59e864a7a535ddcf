// Uses realloc and reallocarray (the argument says which) in each of their roles: 10 times from
// NULL, 20 resizes, 5 frees by size zero; the other 5 blocks stay, with 1,000 bytes each.
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char** arguments) {
  if (count != 2) return 2;
  int array = strcmp(arguments[1], "reallocarray") == 0;
  for (int i = 0; i < 10; ++i) {
    void* block = array ? reallocarray(NULL, 10, 10) : realloc(NULL, 100);
    block = array ? reallocarray(block, 10, 50) : realloc(block, 500);
    block = array ? reallocarray(block, 10, 100) : realloc(block, 1000);
    if (block == NULL) return 3;
    if (i % 2 == 0) continue;
    block = array ? reallocarray(block, 0, 100) : realloc(block, 0);
    if (block != NULL) return 4;
  }
  return 0;
}
