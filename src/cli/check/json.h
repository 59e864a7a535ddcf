// The outcome of `heapledger check` for programs: JSON of the schema "heapledger.check/1".
#pragma once

#include <string>
#include <vector>

#include "cli/check/gate.h"

namespace heapledger::cli::check {

// What was checked, and whether the ledgers can be trusted.
struct Checked {
  std::vector<std::string> ledgers;
  std::vector<std::string> against;
  std::vector<std::string> problems;  // for people; empty when nothing is missing
  bool complete = true;               // nothing is damaged or missing
  bool allow_incomplete = false;

  bool is_bad() const { return !complete && !allow_incomplete; }
};

// One line.
std::string check_json(const GateResult& result, const Checked& checked);

}  // namespace heapledger::cli::check
