// The options of `heapledger report`, and the text of its help.
#pragma once

#include <string>
#include <vector>

#include "cli/opened.h"
#include "cli/report_asked.h"

namespace heapledger {

class Command;

struct ReportOptions {
  std::vector<std::string> files;
  ReportWords words;
  NameOptions names;
  std::string worst;
  bool each = false;
  bool json = false;
};

void add_report_options(Command& command, ReportOptions& options);

// Those of them that choose what of one ledger is shown, and how.
void add_report_views(Command& command, ReportOptions& options);

}  // namespace heapledger
