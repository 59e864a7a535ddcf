// The few lines that `heapledger run` prints when the program has ended: what it did with its heap,
// who had most of it at the peak, where the ledger is, and what to type next.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "analyzer/query.h"
#include "text/text.h"

namespace heapledger::cli::run {

// The site with the largest share of the peak.
struct TopSite {
  uint64_t bytes = 0;  // 0: there is none
  NamedFrame frame;    // the one to blame
};

// Needs no further pass.
TopSite top_site(Ledgers& ledgers);

// `unrecorded`: of the whole run, whatever became of the ledgers that told of them.
std::string run_summary(const Overview& overview, const Style& style, const TopSite& top = {},
                        const std::vector<UnrecordedGroup>& unrecorded = {});

// To a stream, in colours if it is a terminal. Warnings, if any, come after the figures.
void print_run_summary(std::FILE* to, Ledgers& ledgers,
                       const std::vector<UnrecordedGroup>& unrecorded = {});

}  // namespace heapledger::cli::run
