// How a report speaks of live heaps: of what is there at one moment. It says what such a heap
// cannot tell (a peak, temporary calls, lifetimes, what was there before) and shows none of it.
#pragma once

#include <string>
#include <vector>

#include "analyzer/query.h"
#include "cli/asking/asked.h"
#include "cli/pages/page.h"
#include "cli/report/columns.h"

namespace heapledger::cli::report {

// "live heap of process 42, taken 12.3 s after the start (2027-01-15T08:00:00Z), 3 threads".
std::string live_heap_text(const std::vector<LedgerFacts>& heaps);

// What stands where a moment would: every one is that of the heap.
std::string live_moment_text(uint64_t time_ns);

// What the groups of a question can be told apart by, of live heaps as of others.
Known known_figures(Ledgers& ledgers, const Asked& asked);

// `report` without a question.
std::string live_overview_text(Ledgers& ledgers, const Asked& asked, const Page& page);

// Among the lines of a summary.
std::string live_summary_text(const Overview& overview);

}  // namespace heapledger::cli::report
