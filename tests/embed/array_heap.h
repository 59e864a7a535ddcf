/* A small allocator in one array, as a box without an operating system might have: blocks one after
 * the other, the first that fits is taken. For the tests of header mode. */
#pragma once

#include <stddef.h>

/* Every pointer it gives is a multiple of 16, plus this. */
extern size_t array_heap_shift;
extern unsigned char array_heap[1 << 20];

void* array_allocate(void* context, size_t bytes);
void array_release(void* context, void* start);
void* array_resize(void* context, void* start, size_t bytes);
