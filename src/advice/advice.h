// What a ledger says about the code itself: rules that look at every site, each finding with its
// evidence and an estimate of what would be gained. Figures come from the analyzer's queries; what
// a change would save in time is measured by replaying the ledger with and without it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/query.h"
#include "replay/build.h"
#include "replay/compare.h"

namespace heapledger {

enum class Rule {
  kGrownBySteps,  // vectors and buffers grown by realloc or copies: reserve
  kTemporary,     // churn at one site: reuse a buffer, or take the stack
  kManyEqual,     // many small blocks of one size and lifetime: pool or arena
  kOverAligned,   // alignments, or sizes, that cost more than they seem to
  kOverSized,
  kFreedElsewhere,    // allocated by one thread, freed by another
  kNeverFreedGrowth,  // grows as long as the program runs
  kEarly,             // allocated long before its neighbours need it: at the peak, and idle
  kFragmentation,     // lies among blocks that are gone, and keeps their pages
};
inline constexpr size_t kRules = 9;

// "grown-by-steps", "temporary", …
std::string_view name_of(Rule rule);

// "grown by steps": for people.
std::string_view words_of(Rule rule);

// Throws Error that lists them.
Rule parse_rule(std::string_view text);

struct Saved {
  uint64_t calls = 0;
  uint64_t bytes = 0;       // allocated less in all
  uint64_t peak_bytes = 0;  // live, or lost to the allocator, less at the peak
};

// The ledger replayed without it: with its own allocator.
struct Effect {
  double less_ns = 0;     // time in the allocator
  double less_share = 0;  // of all time in the allocator
  Ratio time;
};

struct Finding {
  Rule rule = Rule::kTemporary;
  uint32_t site = 0;            // the one with most of it, for Ledgers::frames()
  NamedFrame frame;             // the code to look at
  std::vector<uint32_t> sites;  // all that are in it
  std::string what;             // one sentence: what was seen
  std::string evidence;         // figures
  std::string advice;           // what to do
  Saved saved;
  double worth = 0;  // the largest of its shares of all calls, of all bytes and of the peak; of
                     // what is never freed, by the peak
  Treatment treatment = Treatment::kAsRecorded;  // how a replay can try it
  std::optional<Effect> effect;
};

struct AdviceOptions {
  uint32_t ledger = 0;
  size_t top = 10;            // findings
  std::vector<Rule> only;     // empty: all
  bool replay = true;         // measure effects
  size_t replays = 3;         // of so many findings at most
  size_t rounds = 0;          // of each; 0: as many as a few seconds allow
  double least_share = 0.01;  // of calls, bytes or peak: what is smaller is not told

  // Called before each play: plays that are done, and all of them.
  std::function<void(uint64_t done, uint64_t total)> progress;
};

struct Advice {
  std::vector<Finding> findings;  // the most worth doing first
  uint64_t more = 0;              // not shown

  // Of the whole process, for shares.
  uint64_t calls = 0;
  uint64_t bytes = 0;
  uint64_t peak_bytes = 0;

  std::string allocator;      // that effects were measured with, for people; empty: none was
  uint64_t rounds = 0;        // of them
  std::string why_no_effect;  // why they were not, although they should have been
};

// Throws Error when the ledger does not have every single call (expect_playable).
Advice advise(Ledgers& ledgers, const AdviceOptions& options);

}  // namespace heapledger
