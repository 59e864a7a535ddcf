// Which frames a flame graph has, where each begins, and how modules are coloured.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exporters/flamegraph.h"

namespace heapledger {

// A frame takes the values from `begin` to `begin + value` of the total, in its row.
struct FlameFrame {
  uint32_t node = 0;  // of the tree
  uint64_t begin = 0;
  uint64_t value = 0;
  uint32_t depth = 0;
  uint32_t colour = 0;  // a place in FlameLayout::modules; kOtherModules: one of the rest
};

struct FlameLayout {
  // More than anybody looks at, or a browser redraws at once.
  static constexpr size_t kMostFrames = 40000;

  static constexpr uint32_t kColours = 8;
  static constexpr uint32_t kOtherModules = kColours;
  static constexpr uint32_t kEverything = kColours + 1;  // the frame on top

  Answer answer;
  std::vector<FlameFrame> frames;    // outer ones before what they call, siblings side by side
  std::vector<std::string> modules;  // paths; those with a colour, the widest first
  bool has_others = false;           // some frames are in modules without one
  uint64_t total = 0;
  uint32_t rows = 0;
  bool left_out = false;  // frames that have something
};

FlameLayout lay_out(ExportRequest& request, const FlamegraphRequest& wanted);

}  // namespace heapledger
