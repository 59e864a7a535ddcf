#include "plots/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "text/text.h"

namespace heapledger {

size_t level_of(double live_bytes, uint64_t cell_bytes) {
  // What is left over from adding up fractions is nothing.
  if (live_bytes < 1e-6 || cell_bytes == 0) return 0;
  double share = live_bytes / static_cast<double>(cell_bytes);
  double level = std::ceil(share * static_cast<double>(kLevels) - 1e-9);
  return static_cast<size_t>(std::clamp(level, 1.0, static_cast<double>(kLevels)));
}

void CellPaths::add(size_t level, double x, double y, double width, double height) {
  if ((level == 0 && !with_empty_) || level > kLevels) return;
  paths_[level] += fmt::format("M{} {}h{}v{}h{}z", coordinate(x), coordinate(y), coordinate(width),
                               coordinate(height), coordinate(-width));
}

void CellPaths::draw(Svg& svg) const {
  svg.path(paths_[0], "slot pale crisp");
  for (size_t level = 1; level <= kLevels; ++level) {
    svg.path(paths_[level], fmt::format("d{} crisp", level));
  }
}

void draw_level_key(Svg& svg, double x, double y) {
  svg.text(x, y, "live: little", "dim");
  x += 68;
  for (size_t level = 1; level <= kLevels; ++level) {
    svg.rect({x, y - 9, 12, 10}, fmt::format("d{}", level));
    x += 12;
  }
  svg.text(x + 6, y, "all of a cell", "dim");
}

std::string region_name(Ledgers& ledgers, const HeapRegion& region) {
  std::string name = fmt::format("{:#x}, {}", region.begin, human_bytes(region.end - region.begin));
  if (ledgers.facts().size() < 2) return name;
  return fmt::format("{}: {}", ledgers.facts()[region.ledger].pid, name);
}

}  // namespace heapledger
