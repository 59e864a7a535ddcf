// Cells of the heap map as paths: one for each of the levels from little to full.
#pragma once

#include <array>
#include <string>

#include "analyzer/query/heap_map.h"
#include "plots/svg.h"

namespace heapledger {

// 0: nothing; 1 to kLevels.
size_t level_of(double live_bytes, uint64_t cell_bytes);

class CellPaths {
 public:
  // Empty cells are drawn, too, or are not.
  explicit CellPaths(bool with_empty = false) : with_empty_(with_empty) {}

  void add(size_t level, double x, double y, double width, double height);
  void draw(Svg& svg) const;

 private:
  bool with_empty_;
  std::array<std::string, kLevels + 1> paths_;
};

// What the levels mean.
void draw_level_key(Svg& svg, double x, double y);

// 0x55d0c0a2b000, 1.2 MiB; with several processes, the process as well.
std::string region_name(Ledgers& ledgers, const HeapRegion& region);

}  // namespace heapledger
