// The views of `report`, each as a person reads it.
#pragma once

#include <string>

#include "analyzer/query.h"
#include "cli/asking/asked.h"
#include "cli/pages/page.h"

namespace heapledger::cli::report {

// The findings, and what stands behind them: two screens at the most.
std::string overview_text(Ledgers& ledgers, const Asked& asked, const Page& page);

// Groups, a line for each.
std::string table_text(Ledgers& ledgers, const Asked& asked, const Page& page);

// Who calls whom.
std::string tree_text(Ledgers& ledgers, const Asked& asked, const Page& page);

// Single blocks.
std::string blocks_text(Ledgers& ledgers, const Asked& asked, const Page& page);

// What the resident memory is made of.
std::string where_rss_text(Ledgers& ledgers, const Asked& asked, const Page& page);

}  // namespace heapledger::cli::report
