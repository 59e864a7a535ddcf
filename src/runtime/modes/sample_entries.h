// What sample mode enters: allocations, frees and resizes of blocks that were chosen.
#pragma once

#include <cstddef>
#include <cstdint>

#include "format/entry.h"
#include "runtime/unwind/site.h"

namespace heapledger::runtime {

struct Sample {
  format::Kind kind;
  size_t size;
  size_t alignment;  // of the kinds that have one
};

inline uint64_t address(const void* block) {
  return reinterpret_cast<uint64_t>(block);
}

void enter(const Sample& sample, const void* block, const Caller& caller);

// `time` is 0 when it is now.
void enter_free(format::Kind kind, const void* block, uint64_t time);

// `old_block` or `block` is null where it was not sampled, but not both. Without the old one
// nothing happened at `begin`.
void enter_resize(format::Kind kind, uint64_t begin, const void* old_block, const void* block,
                  size_t size, const Caller& caller);

}  // namespace heapledger::runtime
