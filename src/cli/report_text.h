// The report as a person reads it.
#pragma once

#include <string>

namespace heapledger {

class Ledgers;
struct Asked;
struct LedgerFacts;
struct Page;

// The view that answers what was asked.
std::string report_text(Ledgers& ledgers, const Asked& asked, const Page& page);

// The command of a process as one would type it, escaped and cut to a line.
std::string command_line(const LedgerFacts& ledger);

}  // namespace heapledger
