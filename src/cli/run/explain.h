// Why a run has left no ledger, as far as can be known afterwards, and what to do about it.
#pragma once

#include <string>

#include "cli/program_check/program_check.h"
#include "cli/run/output.h"

namespace heapledger::cli::run {

std::string explain_no_ledger(const OutputPattern& output,
                              const program_check::ProgramCheck& check);

// Where all ledgers were removed because they had fewer calls than that.
std::string explain_all_skipped(uint64_t calls);

}  // namespace heapledger::cli::run
