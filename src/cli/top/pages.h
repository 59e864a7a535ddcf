// `heapledger top` without a terminal: screens as text, or as JSON.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cli/top/screen.h"

namespace heapledger::cli::top {

struct TopPages {
  uint64_t count = 1;
  size_t most = SIZE_MAX;  // rows
  bool json = false;
};

// Each with the changes over one interval. Ends early when the process does.
int print_top(TopReader& reader, const TopReading& first, const TopState& state,
              const TopPages& pages);

// Whether the user has nothing against them.
bool wants_colours();

}  // namespace heapledger::cli::top
