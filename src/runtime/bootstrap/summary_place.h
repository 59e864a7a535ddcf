// Where the lines of every= go: the pattern of summary=, or the ledger's name with .summary, as
// logs are named.
#pragma once

namespace heapledger::runtime {

// For the ledger that was just made.
void find_summary_place();

}  // namespace heapledger::runtime
