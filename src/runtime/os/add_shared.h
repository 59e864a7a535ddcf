// Adds to a counter that other threads add to at the same time; none of it is lost.
#pragma once

#include <cstdint>

namespace heapledger::runtime::os {

inline void add_shared(uint64_t& counter, uint64_t value) {
  __atomic_fetch_add(&counter, value, __ATOMIC_RELAXED);
}

}  // namespace heapledger::runtime::os
