// The blocks that live mode knows: records in the live image (format/live_tables.h), and an index
// that finds the record of an address.
//
// Records are dense: a free one is used again before a new one is begun, so that their number is
// that of the blocks alive at one time, at most. Each thread keeps a few free ones at hand. The
// index is a hash table of record numbers, in levels, each as large as all before it; nothing ever
// moves. A record takes 20 bytes and its share of the index 5 to 10.
//
// No lock, no waiting; add_live_record needs the thread's window, the rest may be called anywhere,
// in a handler that interrupted any of it as well. A block is added after the real allocation and
// removed before the real free, so no two threads ever do so for one address at one time; a
// program that frees a block twice at once finds it once.
#pragma once

#include <atomic>
#include <cstdint>

namespace heapledger::runtime {

struct Window;

struct LiveFacts {
  uint64_t address;
  uint64_t size;
  uint32_t site;
  uint32_t thread;
  uint32_t time;  // units of the live image since its start
};

// `window`: of the calling thread, open; null: none is at hand. False: no memory for it.
bool add_live_record(Window* window, const LiveFacts& facts);

// Where a block is in the index.
struct LivePlace {
  std::atomic<uint32_t>* slot = nullptr;  // null: it is not known
  uint32_t value = 0;

  explicit operator bool() const { return slot != nullptr; }
};
LivePlace find_live_record(uint64_t address);

// Its size and site are left in `facts`. False: somebody else has removed it.
bool remove_live_record(Window* window, LivePlace place, LiveFacts& facts);

// After a fork: what other threads had at hand is nobody's. `all`: the records are not this
// process's either.
void forget_live_records(bool all);

}  // namespace heapledger::runtime
