// The report as a person reads it: about one screen.
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/analysis.h"
#include "cli/text.h"

namespace heapledger {

// The `top` sites, each with up to `frames` frames of its stack.
std::string report_text(const Analysis& analysis, size_t top, size_t frames, const Style& style);

// The command of a process as one would type it, escaped and cut to a line.
std::string command_line(const LedgerFacts& ledger);

}  // namespace heapledger
