// The report as a person reads it.
#pragma once

#include <string>

#include "analyzer/query.h"
#include "cli/asking/asked.h"
#include "cli/pages/page.h"

namespace heapledger::cli::report {

// The view that answers what was asked.
std::string report_text(Ledgers& ledgers, const Asked& asked, const Page& page);

}  // namespace heapledger::cli::report
