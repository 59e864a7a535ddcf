/* A program that knows nothing of header mode but at its start: the linker has put the functions of
 * heapledger_embed.h in place of malloc's (docs/porting.md). Prints who is said to have called. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heapledger_embed.h"

void* __real_malloc(size_t bytes);
void __real_free(void* block);

static void* allocate(void* context, size_t bytes) {
  (void)context;
  return __real_malloc(bytes);
}

static void release(void* context, void* start) {
  (void)context;
  __real_free(start);
}

static char* volatile kept;

__attribute__((noinline)) static void ask_for_memory(void) {
  kept = (char*)malloc(123);
  kept[0] = 1;
}

int main(void) {
  struct hl_config config;
  struct hl_counters counters;
  const struct hl_header* header;
  memset(&config, 0, sizeof config);
  config.allocate = allocate;
  config.release = release;
  if (hl_init(&config) != 0) return 1;
  ask_for_memory();
  free(calloc(3, 5));
  hl_get_counters(&counters);
  header = (const struct hl_header*)(const void*)kept - 1;
  printf("%lu %lu %lx\n", (unsigned long)counters.live_blocks, (unsigned long)counters.live_bytes,
         (unsigned long)((const uintptr_t*)(const void*)header)[-1]);
  free(kept);
  return 0;
}
