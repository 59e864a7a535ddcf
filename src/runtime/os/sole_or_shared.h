// Words that threads share, changed at the price of a lock only when there is more than one thread.
#pragma once

#include <arch_add.h>

#include <atomic>
#include <cstdint>

#include "runtime/os/only_thread.h"

namespace heapledger::runtime::os {

inline void add(uint64_t& counter, uint64_t value) {
  if (is_only_thread()) return add_own(counter, value);
  __atomic_fetch_add(&counter, value, __ATOMIC_RELAXED);
}

// Returns what it is then.
inline uint64_t add_and_get(uint64_t& counter, uint64_t value) {
  if (is_only_thread()) return add_own_and_get(counter, value);
  return __atomic_add_fetch(&counter, value, __ATOMIC_RELAXED);
}

// If the word is `expected`, it becomes `wanted`; else `expected` becomes what it is.
template <typename Word>
bool exchange(Word& word, Word& expected, Word wanted) {
  if (is_only_thread()) return exchange_own(word, expected, wanted);
  return __atomic_compare_exchange_n(&word, &expected, wanted, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED);
}

}  // namespace heapledger::runtime::os
