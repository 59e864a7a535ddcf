// Single calls and single blocks, one after the other in the order of time: for those who want
// every one of them, and not what they add up to. Nothing is kept, so this takes no memory in
// proportion to what happened.
#pragma once

#include <cstdint>

namespace heapledger {

// One call, as it stands in the ledger.
struct CallFacts {
  uint64_t time_ns = 0;  // since the start of the earliest ledger
  uint64_t took_ns = 0;  // of a resize, from the death of the old block to the birth of the new one
  uint32_t ledger = 0;
  uint32_t thread = 0;        // that called: a place in LedgerFacts::threads
  uint32_t heap = 0;          // for Ledgers::heaps()
  const char* function = "";  // its name
  uint64_t address = 0;       // of the block that it returned or freed; 0: it failed, or NULL
  uint64_t old_address = 0;   // of a resize
  uint64_t size = 0;          // asked for; of a free, what the block had been asked for with
  uint64_t alignment = 0;     // 0: none was asked for
  uint32_t site = 0;          // of a free, the one that allocated the block
  bool allocates = false;     // it returned a block: malloc and the like, and resizes
  bool has_site = false;      // false also for frees of blocks that nobody saw allocated
  uint64_t calls = 1;         // that it stands for, and their bytes: more than one, and size,
  uint64_t bytes = 0;         // when sampled; 0 when it has no block
};

// The beginning or the end of a block.
struct BlockEvent {
  enum class What : uint8_t {
    kBorn,
    kFreed,
    kResized,  // it went on as another block, which is born next
    kLost,     // its address was used again, without a free in the ledger
    kLeft,     // its process ended before it did
  };
  What what = What::kBorn;
  bool temporary = false;  // freed as the very next heap operation of its thread
  uint32_t ledger = 0;
  uint32_t thread = 0;   // that allocated it: a place in LedgerFacts::threads
  uint32_t by = 0;       // the thread that did this, likewise
  uint32_t site = 0;     // that allocated it
  uint64_t time_ns = 0;  // since the start of the earliest ledger
  uint64_t birth_ns = 0;
  uint64_t address = 0;
  uint64_t size = 0;
  uint64_t calls = 1;  // that it stands for, and their bytes
  uint64_t bytes = 0;
};

}  // namespace heapledger
