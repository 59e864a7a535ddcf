/* The same in C, through an allocator of its own: 4 MB in an index at the peak, 500 entries of 800
 * bytes lost, 30,000 keys that live for a moment, and 200 records of 3,000 bytes between the
 * markers. */
#include <stdlib.h>
#include <string.h>

#include "heapledger.h"

#define APART __attribute__((noinline))

static void* kept[4000];
static int count;

APART void* depot_alloc(size_t size) {
  void* block = malloc(size);
  if (block == NULL) abort();
  memset(block, 1, size);
  return block;
}

APART void lose_entries(void) {
  for (int i = 0; i < 500; ++i) {
    char* entry = depot_alloc(800);
    entry[0] = 2;
  }
}

APART void make_keys(void) {
  for (int i = 0; i < 30000; ++i) free(depot_alloc(48));
}

APART void add_records(void) {
  for (int i = 0; i < 200; ++i) kept[count++] = depot_alloc(3000);
}

APART void build_index(void) {
  for (int i = 0; i < 40; ++i) kept[count++] = depot_alloc(100000);
}

int main(void) {
  lose_entries();
  make_keys();
  heapledger_marker("before");
  add_records();
  heapledger_marker("after");
  build_index();
  while (count > 0) free(kept[--count]);
  return 0;
}
