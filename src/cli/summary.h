// The few lines that `heapledger run` prints when the program has ended: what it did with its heap,
// who had most of it at the peak, where the ledger is, and what to type next.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "analyzer/query.h"
#include "text/text.h"

namespace heapledger {

// The site with the largest share of the peak.
struct TopSite {
  uint64_t bytes = 0;  // 0: there is none
  NamedFrame frame;    // the one to blame
};

// Needs no further pass.
TopSite top_site(Ledgers& ledgers);

std::string run_summary(const Analysis& analysis, const Style& style, const TopSite& top = {});

// To a stream, in colours if it is a terminal. Warnings, if any, come after the figures.
void print_run_summary(std::FILE* to, Ledgers& ledgers);

}  // namespace heapledger
