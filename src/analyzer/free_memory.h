// After work that needed much more memory than what it made: gives the rest back to the system.
#pragma once

#include <malloc.h>

namespace heapledger {

inline void give_back_free_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

}  // namespace heapledger
