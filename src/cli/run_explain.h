// Why a run has left no ledger, as far as can be known afterwards, and what to do about it.
#pragma once

#include <string>

#include "cli/program_check.h"
#include "cli/run_output.h"

namespace heapledger {

std::string explain_no_ledger(const OutputPattern& output, const ProgramCheck& check);

// Where all ledgers were removed because they had fewer calls than that.
std::string explain_all_skipped(uint64_t calls);

}  // namespace heapledger
