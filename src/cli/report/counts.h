// What count mode has counted, as a report shows it: by function, by size, by thread.
#pragma once

#include <string>

#include "analyzer/query.h"
#include "cli/asking/asked.h"
#include "cli/pages/page.h"
#include "text/json_text.h"

namespace heapledger::cli::report {

// The whole report on ledgers that have nothing but counts.
std::string counts_text(Ledgers& ledgers, const Asked& asked, const Page& page);

// The tables alone, for a report that has other things as well.
void put_counts(Buffer& to, const Counts& counts, const Asked& asked, const Page& page);

Json counts_json(const Counts& counts);

}  // namespace heapledger::cli::report
