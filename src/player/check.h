// Flag::kCheck: blocks are filled with a pattern that no other block has, and must still hold it
// when they are freed or get another size. The first broken promise ends the run.
#pragma once

#include <stdint.h>

#include "player/lane_run.h"

namespace heapledger::player {

// A call, for texts.
struct Call {
  LaneRun& run;
  const uint64_t* cursor;  // behind its word
  schedule::Word kind;
  schedule::Aligned aligned;
  uint64_t alignment;  // asked for; 0: none
};

const char* name_of(const Call& call);
// Calls of all lanes, as far as is known, with this one.
unsigned long long calls_so_far(const Call& call);

// The block that a call gave for a slot: fills it.
void check_new(const Call& call, uint32_t slot, uint64_t generation, void* block, uint64_t size);
// The block in a slot, before a call frees it or gives it another size.
void check_old(const Call& call, uint32_t slot, void* block);
// As check_new, and what the block had before must still be in it.
void check_resized(const Call& call, uint32_t slot, uint64_t generation, void* block,
                   uint64_t size);
// All blocks that are left; after the last lane.
void check_left();

}  // namespace heapledger::player
