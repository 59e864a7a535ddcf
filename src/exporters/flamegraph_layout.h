// Which frames a flame graph has, where each begins, and how they are coloured: a module has a
// colour, and a function always the same shade of it, so that neighbours can be told apart.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "exporters/flamegraph.h"

namespace heapledger {

// A frame takes the values from `begin` to `begin + value` of the total, in its row.
struct FlameFrame {
  uint32_t node = 0;  // of the tree
  uint64_t begin = 0;
  uint64_t value = 0;
  uint32_t depth = 0;
  uint32_t colour = 0;   // a place in FlameLayout::modules; kOtherModules: one of the rest
  uint64_t smaller = 0;  // not a frame, but the room of so many that are too narrow, in `node`
};

struct FlameLayout {
  // More than anybody looks at, or a browser redraws at once.
  static constexpr size_t kMostFrames = 40000;

  static constexpr uint32_t kColours = 8;
  static constexpr uint32_t kOtherModules = kColours;
  static constexpr uint32_t kEverything = kColours + 1;  // the frame on top
  static constexpr uint32_t kSmaller = kColours + 2;     // no frame

  Answer answer;
  std::vector<FlameFrame> frames;    // outer ones before what they call, siblings side by side
  std::vector<std::string> modules;  // paths; those with a colour, the widest first
  bool has_others = false;           // some frames are in modules without one
  uint64_t total = 0;
  uint32_t rows = 0;
  bool left_out = false;  // frames that have something

  uint32_t colour_of(std::string_view module) const;
};

// From 0 to kShades - 1.
inline constexpr uint32_t kShades = 5;
uint32_t shade_of(std::string_view name);

// Module, file and line of a function, each on a line of its own that begins with its end.
std::string place_text(std::string_view module, std::string_view file, uint32_t line);

FlameLayout lay_out(ExportRequest& request, const FlamegraphRequest& wanted);

}  // namespace heapledger
