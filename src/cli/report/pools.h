// The pools that programs announced, as a report shows them: beside the heap, never added to it.
#pragma once

#include "analyzer/query.h"
#include "cli/pages/page.h"
#include "text/json_text.h"

namespace heapledger::cli::report {

// Nothing, if there are none.
void put_pools(Buffer& to, Ledgers& ledgers, const Page& page);

// Of all ledgers, with the names of sites.
Json pools_json(Ledgers& ledgers);

}  // namespace heapledger::cli::report
