// The options of `heapledger report`, and the text of its help.
#pragma once

#include <string>
#include <vector>

#include "cli/asking/asked.h"
#include "cli/shared/ledger_paths.h"
#include "cli/shared/opened.h"

namespace heapledger::cli {
class Command;
}

namespace heapledger::cli::report {

struct ReportOptions {
  NamedLedgers files;
  ReportWords words;
  NameOptions names;
  std::string worst;
  bool each = false;
  bool json = false;
  bool no_pager = false;
};

void add_report_options(Command& command, ReportOptions& options);

// Those of them that choose what of one ledger is shown, and how.
void add_report_views(Command& command, ReportOptions& options);

}  // namespace heapledger::cli::report
