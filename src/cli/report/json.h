// The report for programs: JSON of the schema "heapledger.report/4". Written piece by piece, so
// that without a question it takes no memory in proportion to the number of sites; but all that can
// fail is done before the first of them, so that there is a whole document or none.
#pragma once

#include <cstdio>
#include <string>

#include "analyzer/query.h"
#include "cli/asking/asked.h"

namespace heapledger::cli::report {

// `before` goes first. Throws Error, and has written nothing then.
void write_report_json(std::FILE* to, Ledgers& ledgers, const Asked& asked,
                       const std::string& before = "");

}  // namespace heapledger::cli::report
