// The first lines of `heapledger top`: the process, its heap now and before, and what is chosen of
// it.
#pragma once

#include <vector>

#include "cli/top/screen.h"

namespace heapledger::cli::top {

// Four lines.
std::vector<Line> top_head(const TopReading& reading, size_t rows, const TopState& state,
                           size_t width, const Page& page);

}  // namespace heapledger::cli::top
