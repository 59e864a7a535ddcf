// What is in ledgers, for programs: JSON of the schema "heapledger.info/2".
#pragma once

#include <cstdio>

#include "analyzer/analysis.h"

namespace heapledger::cli::files {

void write_info_json(std::FILE* to, const Analysis& analysis);

}  // namespace heapledger::cli::files
