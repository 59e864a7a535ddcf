// The report for programs: JSON of the schema "heapledger.report/2". Written piece by piece, so
// that without a question it takes no memory in proportion to the number of sites.
#pragma once

#include <cstdio>

#include "analyzer/query.h"
#include "cli/report_asked.h"

namespace heapledger {

void write_report_json(std::FILE* to, Ledgers& ledgers, const Asked& asked);

}  // namespace heapledger
