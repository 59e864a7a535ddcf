// A difference for programs: JSON of the schema "heapledger.diff/1".
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "analyzer/query/difference.h"

namespace heapledger::cli::diff {

struct DiffSides {
  std::vector<std::string> before;  // the ledgers
  std::vector<std::string> after;
  std::string moment_before;  // in the words of --at
  std::string moment_after;
};

// Written group by group. `before` and `after` are for the stacks of sites.
void write_diff_json(std::FILE* to, const Difference& difference,
                     const DifferenceQuestion& question, const DiffSides& sides, Ledgers& before,
                     Ledgers& after);

}  // namespace heapledger::cli::diff
