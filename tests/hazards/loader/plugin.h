// What both plugins are: the same code at the same offsets, told apart only by their name and the
// size of the blocks they take.
#pragma once

#include <stdlib.h>

static void* loaded;

__attribute__((constructor)) static void on_load(void) {
  loaded = malloc(PLUGIN_BYTES);
}
__attribute__((destructor)) static void on_unload(void) {
  free(loaded);
}

void plugin_take(void** blocks, int count) {
  for (int i = 0; i < count; ++i) blocks[i] = malloc(PLUGIN_BYTES);
}

void plugin_give(void** blocks, int count) {
  for (int i = 0; i < count; ++i) free(blocks[i]);
}
