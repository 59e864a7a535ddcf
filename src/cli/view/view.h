// Ledgers in a browser, for as long as somebody looks at them.
#pragma once

#include <cstdint>
#include <string>

#include "cli/shared/ledger_paths.h"
#include "cli/shared/opened.h"

namespace heapledger::cli::view {

struct ViewOptions {
  NamedLedgers files;
  std::string against;  // an earlier recording to compare with; empty: none
  NameOptions names;
  uint32_t port = 0;  // 0: any
  bool no_browser = false;
  std::string linger = "10min";  // after the last page was closed
  std::string html;              // a file to write instead
};

// Returns the exit status: 0, or what damaged ledgers call for. Throws Error.
int view_ledgers(const ViewOptions& options);

}  // namespace heapledger::cli::view
