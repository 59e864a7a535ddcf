// Finds stacks of one side that are those of the other without some frames. A function that ends in
// a call leaves no frame of its own when it is optimised, nor does one that was inlined where the
// debug information does not say so.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/query/difference_match.h"

namespace heapledger {

struct MissingPair {
  uint32_t lacking = 0;  // units
  uint32_t whole = 0;
};

// Among the units with these numbers, each in one pair at most. Where the frame to blame is missing
// too, the figures have to agree.
std::vector<MissingPair> find_missing(const std::vector<MatchUnit>& units,
                                      const std::vector<uint32_t>& numbers);

}  // namespace heapledger
