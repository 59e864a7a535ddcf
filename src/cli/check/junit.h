// The outcome of `heapledger check` as a JUnit file, which most systems for continuous integration
// read: a test case for each limit, and one for the ledgers being whole. Well-formed XML whatever
// the names in the ledgers are: what XML cannot hold appears as \x1b.
#pragma once

#include <string>

#include "cli/check/gate.h"
#include "cli/check/json.h"

namespace heapledger::cli::check {

std::string check_junit(const GateResult& result, const Checked& checked);

// When there was nothing to check: the complaint.
std::string check_junit_error(const std::string& message, const Checked& checked);

}  // namespace heapledger::cli::check
