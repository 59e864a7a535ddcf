// The life of one block: when it came and went, who allocated and who freed it, what it was before
// it was resized and what it became, what lay beside it, and who else has had its address. One
// pass, which keeps no more than lies near the address and what resized blocks live there are from.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/query.h"

namespace heapledger {

struct BlockLife {
  uint32_t ledger = 0;
  uint64_t address = 0;
  uint64_t size = 0;
  uint32_t site = 0;
  uint32_t thread = 0;  // that allocated it: a place in LedgerFacts::threads
  uint64_t birth_ns = 0;
  uint64_t end_ns = 0;
  BlockEvent::What end = BlockEvent::What::kLeft;
  uint32_t by = 0;         // the thread that ended it, likewise
  bool temporary = false;  // freed as the very next heap operation of its thread
};

struct LifeOfBlock {
  std::optional<BlockLife> block;  // nothing: none was there at that time

  // By resizes, from the first call on; the block itself is in neither.
  std::vector<BlockLife> before;  // the last of them
  uint64_t resizes_before = 0;    // how many there were
  std::optional<BlockLife> after;

  // At that time, by address: the nearest ones on either side that are not further away than kNear.
  std::vector<BlockLife> neighbours;

  // Others that had the address, by time: those next to that time, and how many there were.
  std::vector<BlockLife> tenants;
  uint64_t tenants_before = 0;
  uint64_t tenants_after = 0;

  static constexpr uint64_t kNear = 64 << 10;
  static constexpr size_t kMostNeighbours = 8;  // on either side
  static constexpr size_t kMostTenants = 32;    // before, and after
  static constexpr size_t kMostBefore = 32;
};

// The block that has the address, its first byte or a later one, at that time since the start of
// the earliest ledger. Looks at filter's heaps and at ledger of the question; the first process if
// there is none. Throws Error.
LifeOfBlock life_of_block(Ledgers& ledgers, const Question& question, uint64_t address,
                          uint64_t time_ns);

}  // namespace heapledger
