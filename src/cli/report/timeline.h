// Live bytes over time, drawn with characters: an area with the peak marked below the axis, the
// resident memory as points above it where it is known. Every column shows the most there was in
// it, so the peak is always seen.
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/query/overview.h"

namespace heapledger::cli::report {

// Lines that end with a line break; empty when there is nothing to draw.
std::string draw_timeline(const Overview& overview, size_t width, size_t height);

}  // namespace heapledger::cli::report
