/* A store with an index: the second version, under another name, and the index is in a file of its
 * own. */
#include "store.h"

#include <stdlib.h>

void* volatile kept[64];
static int used;

void keep(void* block) {
  kept[used++] = block;
}

static void* table(size_t bytes) {
  void* block = malloc(bytes); /* at table */
  keep(block);
  return block;
}

__attribute__((noinline)) void store_open(void) {
  keep(malloc(2000)); /* at log */
  table(640);
  index_add(20);
}
