// The report as a person reads it: about one screen.
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/analysis.h"
#include "cli/text.h"

namespace heapledger {

std::string report_text(const Analysis& analysis, size_t top, const Style& style);

// The name of a site on one line, escaped: its frames from the innermost outwards.
std::string site_name(const Analysis& analysis, const Group& group);

// The command of a process as one would type it, escaped and cut to a line.
std::string command_line(const LedgerFacts& ledger);

}  // namespace heapledger
