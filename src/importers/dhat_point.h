// A program point of DHAT: how much was allocated there in all, how much of it was live at the peak
// of the whole program, and how much at its end. Which blocks these were the file does not say;
// solve() finds groups of blocks that have just these sums, if there are any.
#pragma once

#include <cstdint>
#include <vector>

namespace heapledger {

struct Blocks {
  uint64_t count = 0;
  uint64_t bytes = 0;  // all together

  // They are as alike as they can be; the larger ones come first.
  uint64_t size_of(uint64_t number) const {
    return bytes / count + (number < bytes % count ? 1 : 0);
  }
  uint64_t largest() const { return count == 0 ? 0 : size_of(0); }
  friend bool operator==(const Blocks&, const Blocks&) = default;
};

struct DhatPoint {
  Blocks total;
  Blocks at_peak;
  Blocks at_end;
  std::vector<uint32_t> frames;  // numbers in the table of frames, the innermost first
};

struct DhatLives {
  Blocks neither;  // dead at the peak and at the end
  Blocks peak;     // live at the peak alone
  Blocks both;
  Blocks end;         // live at the end alone
  bool exact = true;  // false: the figures contradict one another, and the totals are not met
};

// No block is larger than `largest`, the bytes of all points at the peak, if that is possible.
// As much as possible is live at both moments, or as little.
enum class LiveAtBoth { kMuch, kLittle };
DhatLives solve(const DhatPoint& point, uint64_t largest, LiveAtBoth prefer);

}  // namespace heapledger
