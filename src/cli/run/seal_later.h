// Sealing in the background, so that nobody waits for it at the end of a run.
#pragma once

#include <string>
#include <vector>

namespace heapledger::cli::run {

// Starts `heapledger seal` for them and lets go of it: out of this session, silent, only when the
// processors have nothing better to do. Whatever becomes of it, a ledger is whole, raw or sealed.
// False when it could not be started.
bool seal_later(const std::vector<std::string>& paths, bool no_cache);

}  // namespace heapledger::cli::run
