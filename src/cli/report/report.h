// The report, as `heapledger report` prints it and other commands let it.
#pragma once

#include "cli/report/options.h"

namespace heapledger::cli::report {

// Prints what `options` ask for; returns the exit status. Throws Error.
int report(const ReportOptions& options);

}  // namespace heapledger::cli::report
