// What `heapledger run` does once the program has ended: it reads the ledgers once, prints the
// summary, and seals each ledger in its place with the names of its functions stored; those of
// processes that are too small to be of interest it removes. Whatever goes wrong is said on stderr
// and changes nothing: the ledgers stay as the program has left them, and the exit status is the
// program's.
#pragma once

#include <cstdint>
#include <vector>

#include "cli/run/interrupt.h"
#include "cli/run/ledgers.h"

namespace heapledger::cli::run {

struct FinishOptions {
  bool quiet = false;  // print nothing at all
  bool seal = true;
  uint64_t skip_smaller_than = 0;  // calls; ledgers with fewer are removed
};

void finish_run(const std::vector<RunLedger>& ledgers, const FinishOptions& options,
                EndEarly& end_early);

}  // namespace heapledger::cli::run
