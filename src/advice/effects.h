// What a finding is worth in time: the ledger played as it is, and as it would be.
#pragma once

#include <string>

#include "advice/advice.h"

namespace heapledger {

// The allocator of a recording, to play against: libc when that is what it was, when it is not
// known, or when the library is not here.
Candidate own_allocator(const LedgerFacts& facts);

// Fills in the effects of the first findings that a replay can try, or why there are none. Each is
// played in every round, in turns, so that what changes on the machine meanwhile meets all of them.
void measure_effects(Ledgers& ledgers, const AdviceOptions& options, Advice& advice);

}  // namespace heapledger
