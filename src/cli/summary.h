// The few lines that `heapledger run` prints when the program has ended: what it did with its heap,
// where the ledger is, and what to type next.
#pragma once

#include <cstdio>
#include <string>

#include "analyzer/analysis.h"
#include "cli/text.h"

namespace heapledger {

std::string run_summary(const Analysis& analysis, const Style& style);

// To a stream, in colours if it is a terminal. Warnings, if any, come after the figures.
void print_run_summary(std::FILE* to, const Analysis& analysis);

}  // namespace heapledger
