// A replay as a picture: how long malloc takes and how much memory it needs, allocator by
// allocator, and the resident memory of each over time against what is live.
#pragma once

#include <string>

#include "plots/svg.h"
#include "replay/compare.h"

namespace heapledger {

struct ReplayPageWords {
  std::string title;  // the command, escaped
  std::string subtitle;
  Scheme scheme = Scheme::kAuto;
};

std::string draw_replay_page(const Comparison& comparison, const ReplayPageWords& words);

}  // namespace heapledger
