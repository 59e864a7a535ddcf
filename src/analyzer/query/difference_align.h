// Which lines of a function are which lines of it in another build. Lines may have moved and others
// may have come or gone in between, but those that stay keep their order; where that leaves a
// choice, those with figures that are alike belong together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace heapledger {

struct AlignedLine {
  uint32_t line = 0;
  uint64_t calls = 0;
  uint64_t bytes = 0;
};

// From 0, nothing alike, to 1: as many calls, of blocks as large.
double likeness(const AlignedLine& a, const AlignedLine& b);

// Which lines may be a pair.
using MayAlign = std::function<bool(uint32_t before, uint32_t after)>;

// Pairs of places in two lists that are sorted by line, each line once; in ascending order. Too
// many of them (a thousand each) are matched only where the lines are the same.
std::vector<std::pair<size_t, size_t>> align_lines(
    const std::vector<AlignedLine>& before, const std::vector<AlignedLine>& after,
    const MayAlign& may = [](uint32_t, uint32_t) { return true; });

}  // namespace heapledger
