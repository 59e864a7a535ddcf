// How a recorded program is named: the command that started it.
#pragma once

#include <string>

#include "analyzer/query.h"

namespace heapledger::cli {

// The command of a process as one would type it, escaped and cut to a line.
std::string command_line(const LedgerFacts& ledger);

}  // namespace heapledger::cli
