#include <stdlib.h>

#include "store.h"

__attribute__((noinline)) void index_add(int entries) {
  keep(malloc(128)); /* at index */
  for (int i = 0; i < entries; ++i) {
    keep(malloc(24)); /* at entry */
  }
}
