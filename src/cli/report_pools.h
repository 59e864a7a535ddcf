// The pools that programs announced, as a report shows them: beside the heap, never added to it.
#pragma once

#include "analyzer/query.h"
#include "cli/report_page.h"
#include "text/json_text.h"

namespace heapledger {

// Nothing, if there are none.
void put_pools(Buffer& to, Ledgers& ledgers, const Page& page);

// Of one ledger, as far as the ledger alone tells; and for all of them, with the names of sites.
Json pool_json(const PoolFacts& pool);
Json pools_json(Ledgers& ledgers);

}  // namespace heapledger
