// The ledger that `heapledger replay --record-to` makes: whether it can be made, and whether it
// was.
#pragma once

#include <string>

namespace heapledger::cli::replay {

// Before the long work: throws Error when there is something at the path already, or when no file
// can be made there.
void expect_place_for_ledger(const std::string& path);

// After it: throws Error when what is at the path is not a ledger.
void expect_recorded(const std::string& path);

}  // namespace heapledger::cli::replay
