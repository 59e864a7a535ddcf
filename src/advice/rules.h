// The rules, each two pure functions: whether it speaks of a site, and what it says about all those
// sites of one frame together, or nothing after all, when that is too little. A rule says less
// rather than more: whoever gets one wrong piece of advice does not read the next.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "advice/advice.h"
#include "advice/facts.h"

namespace heapledger {

struct RuleFunctions {
  Rule rule;
  bool (*speaks)(const SiteFacts& site, const RunFacts& run);
  // Fills in everything but the frame and the sites; its worth only if it is more than what is
  // saved.
  std::optional<Finding> (*tell)(const SiteFacts& sites, const RunFacts& run);
};

std::span<const RuleFunctions> all_rules();

// One or two for each file.
extern const RuleFunctions kGrownBySteps;
extern const RuleFunctions kTemporary;
extern const RuleFunctions kManyEqual;
extern const RuleFunctions kOverAligned;
extern const RuleFunctions kOverSized;
extern const RuleFunctions kFreedElsewhere;
extern const RuleFunctions kNeverFreedGrowth;
extern const RuleFunctions kEarly;
extern const RuleFunctions kFragmentation;

// The size that nearly all blocks have, at least this share of them; 0: there is none.
uint64_t one_size(const Figures& figures, double share);

// "24 bytes", "16 B to 4.0 KiB": what the blocks were asked for with.
std::string sizes_words(const Figures& figures);

// The part of a whole, as a number.
inline double share_of(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace heapledger
