// Adds up what every function on the stacks has, with one walk over all calls instead of one over
// every stack: what is inside a call is added once, however many stacks go through it.
#pragma once

#include <vector>

#include "analyzer/query/cells.h"
#include "analyzer/query/fold.h"
#include "analyzer/query/grouping.h"

namespace heapledger {

// Adds to `all` of the groups; recursion counts once. For groupings that have a walk. `counts` says
// by account which cells count.
void fold_calls(const Grouping& grouping, const Paged<Cell>& cells, const std::vector<char>& counts,
                std::vector<FoldedGroup>& folded);

}  // namespace heapledger
