// Which allocators a replay compares: those that were asked for, or those that there are; and the
// recorded program's own, which all are compared with.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analyzer/query.h"
#include "cli/run/allocator.h"
#include "replay/compare.h"

namespace heapledger::cli::replay {

struct ReplayCandidate {
  Candidate candidate;
  std::string missing;  // why it cannot be played; empty: it can
};

struct ReplayCandidates {
  std::vector<ReplayCandidate> all;  // the program's own is first unless it was asked for elsewhere
  size_t baseline = 0;               // always one that can be played
  std::vector<std::string> notes;    // what a user should know about the choice

  std::vector<Candidate> playable() const;
  size_t playable_baseline() const;  // in playable()
};

// `wanted`: glibc, the names in `known`, paths; empty: the program's own and all that are
// installed. Throws Error for a word that is none of these.
ReplayCandidates choose_candidates(const std::vector<std::string>& wanted, const LedgerFacts& facts,
                                   const std::vector<run::KnownAllocator>& known);

// Figures as of playable(), made those of all: one that is missing has failed.
std::vector<CandidateFigures> with_missing(std::vector<CandidateFigures> played,
                                           const ReplayCandidates& candidates);
Comparison with_missing(Comparison played, const ReplayCandidates& candidates);

}  // namespace heapledger::cli::replay
