// What count mode has counted, as a report shows it: by function, by size, by thread.
#pragma once

#include <string>

#include "analyzer/query.h"
#include "cli/report_asked.h"
#include "cli/report_page.h"
#include "text/json_text.h"

namespace heapledger {

// The whole report on ledgers that have nothing but counts.
std::string counts_text(Ledgers& ledgers, const Asked& asked, const Page& page);

// The tables alone, for a report that has other things as well.
void put_counts(Buffer& to, const Counts& counts, const Asked& asked, const Page& page);

Json counts_json(const Counts& counts);

// Throws Error when the ledgers have nothing but counts: there are no sites, blocks and moments.
void expect_more_than_counts(Ledgers& ledgers);

}  // namespace heapledger
