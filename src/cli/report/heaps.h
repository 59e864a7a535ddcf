// The heaps beside malloc's, as a report shows them: mappings, and the pools that programs
// announced. Never added to malloc's figures.
#pragma once

#include "analyzer/query.h"
#include "cli/pages/page.h"
#include "text/json_text.h"

namespace heapledger::cli::report {

// Nothing, if there are none.
void put_heaps(Buffer& to, Ledgers& ledgers, size_t sites, const Page& page);

// All of them, malloc's first; the largest with the sites that asked for most.
Json heaps_json(Ledgers& ledgers);

}  // namespace heapledger::cli::report
