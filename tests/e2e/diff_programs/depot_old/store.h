// What the files of the store have of each other.
#pragma once

#include <stddef.h>

void keep(void* block);
void index_add(int entries);
void store_open(void);
