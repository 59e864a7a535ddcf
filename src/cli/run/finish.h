// What `heapledger run` does once the program has ended: it reads the ledgers once, prints the
// summary, and seals each ledger in its place with the names of its functions stored, or has that
// done; those of processes that are too small to be of interest it removes. Whatever goes wrong is
// said on stderr and changes nothing: the ledgers stay as the program has left them, and the exit
// status is the program's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/run/interrupt.h"
#include "cli/run/ledgers.h"
#include "cli/run/run_folder.h"

namespace heapledger::cli::run {

// Whether large ledgers are sealed by a process of its own after the tool has ended: people wait
// for their prompt, scripts for the file.
enum class SealLater { kNever, kOnTerminal, kAlways };

struct FinishOptions {
  bool quiet = false;  // print nothing at all
  bool seal = true;
  SealLater seal_later = SealLater::kOnTerminal;
  bool no_cache = false;              // of names
  bool pools = true;                  // the program's own were left on
  uint64_t skip_smaller_than = 0;     // calls; ledgers with fewer are removed
  const RunFolder* folder = nullptr;  // of this run; null: it has none
};

// Returns the paths of what is left to look at.
std::vector<std::string> finish_run(const std::vector<RunLedger>& ledgers,
                                    const FinishOptions& options, EndEarly& end_early);

}  // namespace heapledger::cli::run
