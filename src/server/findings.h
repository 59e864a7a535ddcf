// What is worth saying about a recording before anybody asks: its peak, what was never freed, what
// was allocated only for a moment, and its resident memory; each with the line that has most of it.
#pragma once

#include <optional>

#include "analyzer/query.h"
#include "text/json_text.h"

namespace heapledger::server {

// The owners that have most of each.
struct Found {
  NeverFreed never_freed;
  Answer at_peak;
  Answer temporary;
  Answer at_rss_peak;  // no rows: nobody has looked at the resident memory
};

// Nothing: there are no sites to ask about.
std::optional<Found> find(Ledgers& ledgers);

Json findings_json(const Found& found, const Overview& overview);

}  // namespace heapledger::server
