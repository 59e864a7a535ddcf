// Which ledgers the user means: files as they are, folders as all *.ledger files in them. None
// is listed twice, whatever way it was named.
#pragma once

#include <string>
#include <vector>

namespace heapledger::cli {

// Throws Error when a folder has no ledgers. Files need not exist: opening them will tell.
std::vector<std::string> find_ledger_paths(const std::vector<std::string>& named);

}  // namespace heapledger::cli
