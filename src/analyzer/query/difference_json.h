// Differences as JSON: what `diff --json` is made of. What is not known is null.
#pragma once

#include <string>

#include "analyzer/query/difference.h"
#include "text/json_text.h"

namespace heapledger {

// One side of a group or of all, and what changed from one to the other.
Json side_json(const SideFigures& side);
Json changes_json(const SideFigures& before, const SideFigures& after);

// All but the groups. `before` and `after` say of each side what only who asked knows, its ledgers
// and its moment; they come first.
Json difference_json(const Difference& difference, const DifferenceQuestion& question,
                     const Json& before, const Json& after);

}  // namespace heapledger
