// A difference as a person reads it: a sentence, the totals, and what changed most.
#pragma once

#include <string>
#include <vector>

#include "analyzer/query/difference.h"
#include "cli/pages/page.h"

namespace heapledger::cli::diff {

// How a difference came about, and how it is shown.
struct DiffView {
  DifferenceQuestion question;
  std::string before;  // what is compared, for people: a path, or a moment
  std::string after;
  size_t callers = 6;  // of a site
  bool live = false;   // both are heaps of one moment
};

// By site and owner: the largest stack of what the row is called by.
std::vector<NamedFrame> stack_of(const ChangeRow& row, Ledgers& before, Ledgers& after);

// `after` and `before` are for the stacks of sites; the same for two moments of one ledger.
std::string diff_text(const Difference& difference, const DiffView& view, Ledgers& before,
                      Ledgers& after, const Page& page);

}  // namespace heapledger::cli::diff
