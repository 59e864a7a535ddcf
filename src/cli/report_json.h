// The report for programs: JSON of the schema "heapledger.report/1". Written piece by piece, so
// that it takes no memory in proportion to the number of sites.
#pragma once

#include <cstddef>
#include <cstdio>

#include "analyzer/analysis.h"

namespace heapledger {

// `top` limits the number of groups.
void write_report_json(std::FILE* to, const Analysis& analysis, size_t top);

}  // namespace heapledger
