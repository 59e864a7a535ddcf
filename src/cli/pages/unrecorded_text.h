// How the programs that could not be recorded are told, to people and to machines.
#pragma once

#include <string>
#include <vector>

#include "analyzer/unrecorded.h"
#include "text/json_text.h"

namespace heapledger::cli {

// "3 could not be: 2 with AddressSanitizer, 1 static (busybox, parser_test, tree_test)"; empty when
// there are none.
std::string unrecorded_text(const std::vector<UnrecordedGroup>& groups);

// What follows the colon.
std::string unrecorded_line(const std::vector<UnrecordedGroup>& groups);

Json unrecorded_json(const std::vector<UnrecordedGroup>& groups);

}  // namespace heapledger::cli
