// Blocks that the guard found damaged, in a report: what happened to each, the stack that allocated
// it and the one that noticed.
#pragma once

#include "analyzer/query.h"
#include "cli/pages/page.h"
#include "text/json_text.h"

namespace heapledger::cli::report {

// Nothing when there is no damage.
void put_damages(Buffer& to, Ledgers& ledgers, size_t frames, const Page& page);

// An array, one object for each.
Json damages_json(Ledgers& ledgers);

}  // namespace heapledger::cli::report
