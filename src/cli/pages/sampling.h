// How a report says that its figures are estimates: "1.2 GiB ±3%", and a line on what was sampled.
// Exact ledgers never meet any of it: their errors are zero.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/query.h"
#include "cli/pages/json_parts.h"

namespace heapledger::cli {

// `text` says `value`; with its standard error in percent behind it, unless it is exact.
std::string with_error(const std::string& text, uint64_t value, double error);

// "one in 512.0 KiB on average"; empty when nothing is sampled.
std::string sampling_text(const std::vector<LedgerFacts>& ledgers);

// Null when nothing is sampled.
Json sampled_json(Ledgers& ledgers);

}  // namespace heapledger::cli
