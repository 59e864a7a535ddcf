// Bytes around each block (guard=): a layer between the modes and the real allocator. It takes the
// place of real_heap's functions, gives every block a header and guard bytes before and after it,
// and looks at them when the block is freed or resized. Blocks that it did not make, from before it
// was there or from elsewhere, go to the real allocator as they are.
//
// Damage is told on stderr and entered into the ledger with the stack that noticed it; then the
// program goes on, or stops with abort(), as chosen. A block that is freed twice is freed once.
//
// Thread safety: put_guard_up runs before other threads allocate; the functions are as safe as the
// allocator's own, and take no lock.
#pragma once

#include "settings/settings.h"

namespace heapledger::runtime {

// Does nothing for Guard::kOff.
void put_guard_up(settings::Guard guard);

}  // namespace heapledger::runtime
