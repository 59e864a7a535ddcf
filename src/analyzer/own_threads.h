// Threads of the process itself, told from those of the process that it was forked from: blocks of
// theirs are in the ledger, and that is all.
#pragma once

#include <cstdint>

#include "analyzer/ledger_facts.h"
#include "format/inherited_threads.h"

namespace heapledger {

inline bool is_inherited(const ThreadFacts& thread) {
  return (thread.index & format::kInheritedThread) != 0;
}

// As blocks have it, in either process.
inline uint32_t number_of(const ThreadFacts& thread) {
  return thread.index & ~format::kInheritedThread;
}

// How many threads the process itself had, with those that only counted.
inline uint64_t own_threads(const LedgerFacts& ledger) {
  uint64_t count = ledger.thread_count;
  for (const ThreadFacts& thread : ledger.threads) count -= is_inherited(thread) ? 1 : 0;
  return count;
}

}  // namespace heapledger
