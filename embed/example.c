/* Header mode in a program for a box without an operating system: a heap in one array, a counter of
 * ticks for a clock, and the functions of heapledger_embed.h in place of malloc and free.
 *
 * On the box, memory is taken by a debugger. So that it can be tried anywhere, this program writes
 * the array and the image to a file when it is given a name. docs/porting.md tells the rest. */
#include <stdio.h>
#include <string.h>

#include "heapledger_embed.h"

/* --- What the box has: an allocator, ticks, interrupts --- */

/* The memory that the debugger will dump. */
static union {
  unsigned char bytes[64 * 1024];
  uint64_t aligned;
} heap;
static size_t heap_used;

/* A piece is used again by blocks that fit into it; that is all. */
struct piece {
  size_t bytes;
  struct piece* next;
};
static struct piece* free_pieces;

static void* box_allocate(void* context, size_t bytes) {
  struct piece** link = &free_pieces;
  struct piece* piece;
  (void)context;
  for (; *link; link = &(*link)->next) {
    piece = *link;
    if (piece->bytes < bytes) continue;
    *link = piece->next;
    return piece + 1;
  }
  bytes = (bytes + sizeof *piece - 1) / sizeof *piece * sizeof *piece;
  if (sizeof heap - heap_used < bytes + sizeof *piece) return NULL;
  piece = (struct piece*)(void*)(heap.bytes + heap_used);
  heap_used += bytes + sizeof *piece;
  piece->bytes = bytes;
  return piece + 1;
}

static void box_release(void* context, void* start) {
  struct piece* piece = (struct piece*)start - 1;
  (void)context;
  piece->next = free_pieces;
  free_pieces = piece;
}

static volatile uint64_t ticks; /* counted up by a timer on a real box */

static uint64_t read_ticks(void* context) {
  (void)context;
  return ticks;
}

static void disable_interrupts(void* context) {
  (void)context;
}

static void enable_interrupts(void* context) {
  (void)context;
}

static void on_fault(void* context, enum hl_fault what, const void* pointer) {
  (void)context;
  fprintf(stderr, "%p cannot be freed: fault %d\n", pointer, (int)what);
}

/* --- What the program does --- */

struct reading {
  int value;
  struct reading* next;
};
static struct reading* readings;
static char* network_buffer;

static void read_sensor(int value) {
  struct reading* reading = (struct reading*)hl_malloc(sizeof *reading);
  if (!reading) return;
  reading->value = value;
  reading->next = readings;
  readings = reading;
}

/* Forgets to free every tenth: what the dump will show. */
static void send_readings(void) {
  struct reading* reading = readings;
  readings = NULL;
  while (reading) {
    struct reading* next = reading->next;
    if (reading->value % 10 != 0) hl_free(reading);
    reading = next;
  }
}

static void start_network(void) {
  network_buffer = (char*)hl_aligned_alloc(64, 1500);
}

/* A dump of all memory has both anyway. Here the image follows the heap: it says itself where it
 * belongs, so a reader is not misled. */
static int write_memory(const char* path) {
  FILE* file = fopen(path, "wb");
  if (!file) return 1;
  fwrite(heap.bytes, 1, sizeof heap, file);
  fwrite(&hl_image, 1, sizeof hl_image, file);
  return fclose(file) == 0 ? 0 : 1;
}

int main(int count, char** arguments) {
  struct hl_config config;
  struct hl_counters counters;
  int i;
  memset(&config, 0, sizeof config);
  config.allocate = box_allocate;
  config.release = box_release;
  config.alignment = sizeof(struct piece);
  config.lock = disable_interrupts;
  config.unlock = enable_interrupts;
  config.clock = read_ticks;
  config.clock_hz = 1000;
  config.fault = on_fault;
  config.tag = "example";
  if (hl_init(&config) != 0) return 1;

  start_network();
  for (i = 0; i < 200; ++i) {
    ticks += 25;
    read_sensor(i);
    if (i % 50 == 49) send_readings();
  }

  hl_get_counters(&counters);
  printf("%lu blocks with %lu bytes are live\n", (unsigned long)counters.live_blocks,
         (unsigned long)counters.live_bytes);
  return count > 1 ? write_memory(arguments[1]) : 0;
}
