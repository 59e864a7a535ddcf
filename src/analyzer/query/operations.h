// Every call of one ledger as something done to a block, in an order in which all of it can be done
// again: a block is allocated before it is freed or resized, each once, whatever the stamps of
// different threads say. Calls of one thread stay in their order, except where two threads meet at
// one address at nearly the same time, and nobody can tell whose block was first. Memory in
// proportion to what is live.
#pragma once

#include <cstdint>

#include "format/entry.h"

namespace heapledger {

// A number for a block while it is live; used again afterwards, the last one freed first.
using BlockNumber = uint32_t;
inline constexpr BlockNumber kNoBlock = UINT32_MAX;

struct Operation {
  enum class What : uint8_t {
    kAllocate,       // `block` is born
    kFree,           // `old_block` dies
    kResize,         // `old_block` dies, `block` is born
    kFreeNull,       // free(NULL)
    kFailed,         // it should have allocated, and returned NULL
    kResizeUnknown,  // as kResize, of a block whose birth is not in the ledger: no `old_block`
    kFreeLost,  // `old_block` dies by a free that is not in the ledger: its address was used again
  };
  What what = What::kAllocate;
  format::Kind kind = format::Kind::kEnd;  // the entry's; of kFreeLost: kFree
  uint32_t thread = 0;                     // that called: a place in LedgerFacts::threads
  uint64_t time_ns = 0;  // since the start of the ledger; of a resize, when the old block died
  BlockNumber block = kNoBlock;
  BlockNumber old_block = kNoBlock;
  uint64_t size = 0;       // asked for; of a free, that of the block
  uint64_t old_size = 0;   // of the block that dies
  uint64_t alignment = 0;  // 0: none was asked for
  uint32_t site = 0;       // of the block that is born or, if none is, of the one that dies: as
                           // Ledgers::frames() wants it
};

// What could not be told as an operation.
struct LeftOut {
  uint64_t unknown_frees = 0;  // of blocks whose birth is not in the ledger
};

}  // namespace heapledger
