// What the figures of a run leave out, where it is much, and what shows it.
#pragma once

#include <string>
#include <vector>

#include "analyzer/query.h"

namespace heapledger::cli::run {

// Sentences for the summary. `pools`: the program's own pools were left on.
std::vector<std::string> unseen_texts(const Overview& overview, bool pools);

}  // namespace heapledger::cli::run
