// Tells that a block was found damaged: one line on stderr, one entry in the ledger, with the stack
// that leads here. Our own functions are the innermost of that stack; readers leave them out.
#pragma once

#include "runtime/modes/guarded_block.h"

namespace heapledger::runtime {

void tell_damage(const Found& found, const void* block, size_t size);

}  // namespace heapledger::runtime
