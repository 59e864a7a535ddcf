// Blocks that the guard (guard=) found damaged: what happened to them, where they come from and
// where that was noticed.
#pragma once

#include <cstdint>

namespace heapledger {

// Values are part of the format.
enum class DamageKind : uint32_t { kBefore = 1, kAfter = 2, kFreedAlready = 3 };

struct DamageFacts {
  DamageKind kind = DamageKind::kAfter;
  uint64_t address = 0;
  uint64_t size = 0;       // of the block; 0 with an unknown one
  int64_t offset = 0;      // of the first wrong byte, from the block's start
  uint64_t time_ns = 0;    // since the process's start
  uint64_t tid = 0;        // of the thread that noticed
  uint32_t allocated = 0;  // site in the catalog; SiteCatalog::kRoot: not known
  uint32_t noticed = 0;    // likewise: the stack that freed or resized it
};

}  // namespace heapledger
