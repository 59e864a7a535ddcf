// What a replay found, as people read it.
#pragma once

#include <string>
#include <vector>

#include "analyzer/query.h"
#include "cli/pages/page.h"
#include "cli/replay/options.h"
#include "replay/build.h"
#include "replay/compare.h"
#include "replay/tune.h"

namespace heapledger::cli::replay {

// What was played, and how.
struct ReplayView {
  const LedgerFacts& ledger;
  const schedule::Header& header;
  const BuildFacts& built;
  const ReplayOptions& options;
};

std::string comparison_text(const Comparison& comparison, const ReplayView& view, const Page& page);

// What --check found.
std::string check_text(const std::vector<CandidateFigures>& checked, const ReplayView& view,
                       const Page& page);

// What --tune found, one allocator after the other.
std::string tuned_text(const std::vector<Tuned>& all, const ReplayView& view, const Page& page);

// "Played …" in a few lines: the command, the calls, and what of the ledger is not among them.
void put_played(Buffer& to, const ReplayView& view, const std::string& how, const Page& page);

// The one to try, as one_to_try() has it; nullptr: none is worth it.
const CandidateFigures* worth_a_try(const Comparison& comparison);

}  // namespace heapledger::cli::replay
