/* A store with an index: the first version, all in one file. */
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

__attribute__((noinline)) void index_add(int entries) {
  keep(malloc(128)); /* at index */
  for (int i = 0; i < entries; ++i) {
    keep(malloc(24)); /* at entry */
  }
}

__attribute__((noinline)) void store_open(void) {
  keep(malloc(5000)); /* at log */
  table(640);
  index_add(20);
}
