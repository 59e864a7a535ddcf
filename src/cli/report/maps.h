// What the program mapped itself, in a report.
#pragma once

#include "analyzer/query.h"
#include "cli/pages/page.h"
#include "text/json_text.h"

namespace heapledger::cli::report {

// Nothing when that was not recorded.
void put_mappings(Buffer& to, Ledgers& ledgers, size_t sites, size_t frames, const Page& page);

Json mappings_json(Ledgers& ledgers);

}  // namespace heapledger::cli::report
