// All stacks of a flame graph, with several metrics, for its script: with them it searches what is
// too narrow to be drawn, and draws other metrics, or callers first. One text of base64, which is
// JSON compressed with gzip. What is in it comes from the recorded program, and cannot be anything
// but text.
#pragma once

#include <string>

#include "exporters/flamegraph_layout.h"

namespace heapledger {

std::string flame_data(ExportRequest& request, const FlamegraphRequest& wanted,
                       const FlameLayout& layout);

}  // namespace heapledger
