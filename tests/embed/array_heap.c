#include "array_heap.h"

#include <stdint.h>
#include <string.h>

#define UNIT 16u

/* Before each block; the block begins right behind it, plus the shift. */
struct piece {
  uint32_t units; /* of the whole, this included */
  uint32_t used;
  uint32_t unused[2];
};

size_t array_heap_shift;
__attribute__((aligned(16))) unsigned char array_heap[1 << 20];

static struct piece* first(void) {
  struct piece* piece = (struct piece*)(void*)array_heap;
  if (piece->units == 0) piece->units = sizeof array_heap / UNIT;
  return piece;
}

static struct piece* next(struct piece* piece) {
  return (struct piece*)(void*)((unsigned char*)piece + piece->units * UNIT);
}

static int is_end(const struct piece* piece) {
  return (const unsigned char*)piece >= array_heap + sizeof array_heap;
}

static void join(struct piece* piece) {
  while (!is_end(next(piece)) && !next(piece)->used) piece->units += next(piece)->units;
}

static void split(struct piece* piece, uint32_t units) {
  uint32_t rest = piece->units - units;
  if (rest == 0) return;
  piece->units = units;
  next(piece)->units = rest;
  next(piece)->used = 0;
}

static uint32_t units_for(size_t bytes) {
  if (bytes > sizeof array_heap) return UINT32_MAX;
  return (uint32_t)((bytes + array_heap_shift + UNIT - 1) / UNIT + 1);
}

void* array_allocate(void* context, size_t bytes) {
  uint32_t units = units_for(bytes);
  struct piece* piece;
  (void)context;
  for (piece = first(); !is_end(piece); piece = next(piece)) {
    if (piece->used) continue;
    join(piece);
    if (piece->units < units) continue;
    split(piece, units);
    piece->used = 1;
    return (unsigned char*)(piece + 1) + array_heap_shift;
  }
  return NULL;
}

static struct piece* piece_of(void* start) {
  return (struct piece*)(void*)((unsigned char*)start - array_heap_shift) - 1;
}

void array_release(void* context, void* start) {
  (void)context;
  piece_of(start)->used = 0;
}

void* array_resize(void* context, void* start, size_t bytes) {
  struct piece* piece = piece_of(start);
  uint32_t units = units_for(bytes);
  size_t old_bytes = (piece->units - 1) * UNIT - array_heap_shift;
  void* moved;
  join(piece);
  if (piece->units >= units) {
    split(piece, units);
    return start;
  }
  moved = array_allocate(context, bytes);
  if (moved) {
    memcpy(moved, start, old_bytes < bytes ? old_bytes : bytes);
    array_release(context, start);
  }
  return moved;
}
