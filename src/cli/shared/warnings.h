// What a user must know before trusting the figures of an analysis: what is damaged, what stopped
// early, what could not be entered. In plain words, ready to print.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "analyzer/query.h"
#include "cli/shared/exit_status.h"

namespace heapledger::cli {

inline constexpr size_t kMaxWarnings = 20;

// The most serious first; at most kMaxWarnings, the last of which then counts the rest.
std::vector<std::string> warnings(std::span<const LedgerFacts> ledgers,
                                  std::span<const Error> refusals);

// Prints them to stderr. Returns the exit status they call for: 0, or kExitBadData.
int print_warnings(std::span<const LedgerFacts> ledgers, std::span<const Error> refusals);
int print_warnings(Ledgers& ledgers);

}  // namespace heapledger::cli
