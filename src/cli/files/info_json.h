// What is in ledgers, for programs: JSON of the schema "heapledger.info/2".
#pragma once

#include <cstdio>

#include "analyzer/ledger_facts.h"

namespace heapledger::cli::files {

void write_info_json(std::FILE* to, const std::vector<LedgerFacts>& ledgers);

}  // namespace heapledger::cli::files
