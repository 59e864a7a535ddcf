// The live blocks at one moment of a ledger's merged order, stored in a sealed ledger so that the
// state at a later time can be had without reading everything before it. Everything stamped up to
// and including `time` has happened; everything after has not. See live_scan.h for how to go on
// from there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyzer/live_blocks.h"
#include "analyzer/pairing.h"
#include "analyzer/seal/columns.h"
#include "analyzer/seal/zstd_codec.h"

namespace heapledger::seal {

struct Checkpoint {
  uint64_t time = 0;     // in units of the ledger
  uint64_t entries = 0;  // that happened before, of all kinds
  // By address. `account` is the id of the site, `thread` the index of the thread, both as the
  // ledger's entries have them.
  std::vector<LiveBlock> blocks;
  std::vector<RecentDeath> recent;  // for Pairing, which looks back a little
};

Bytes encode_checkpoint(const Checkpoint& checkpoint, Compressor& compressor);

// Nothing when the bytes make no sense. Needs memory in proportion to them, whatever they say.
std::optional<Checkpoint> decode_checkpoint(std::span<const unsigned char> bytes);

}  // namespace heapledger::seal
