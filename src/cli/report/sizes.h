// How large the blocks were and how long they lived: a small histogram and a few lines.
#pragma once

#include "analyzer/query/overview.h"
#include "cli/pages/page.h"

namespace heapledger::cli::report {

void put_sizes(Buffer& to, const Overview& overview, const Page& page);

}  // namespace heapledger::cli::report
