// The few lines that `heapledger run` prints when the program has ended: what it did with its heap,
// who had most of it at the peak, where the ledger is, and what to type next.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/query.h"
#include "text/text.h"

namespace heapledger::cli::run {

// The line that is to blame for most of something; or, where there are too many of them, the call
// that leads to most of it.
struct Owner {
  uint64_t amount = 0;  // bytes or calls; 0: there is none
  bool is_part = false;
  std::string name;
  std::string file;
  uint32_t line = 0;
};

struct Owners {
  Owner peak;
  Owner never_freed;
  Owner temporary;
  // What was never freed, but for what the C and C++ libraries keep on purpose.
  std::optional<std::pair<uint64_t, uint64_t>> left;  // bytes and blocks
  std::vector<std::string> unseen;                    // what none of this tells (unseen.h)
};

// Needs no further pass.
Owners find_owners(Ledgers& ledgers);

// `unrecorded`: of the whole run, whatever became of the ledgers that told of them.
std::string run_summary(const Overview& overview, const Style& style, const Owners& owners = {},
                        const std::vector<UnrecordedGroup>& unrecorded = {});

// To a stream, in colours if it is a terminal. Warnings, if any, come after the figures.
// `pools`: as for unseen_texts.
void print_run_summary(std::FILE* to, Ledgers& ledgers,
                       const std::vector<UnrecordedGroup>& unrecorded = {}, bool pools = true);

}  // namespace heapledger::cli::run
