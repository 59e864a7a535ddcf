// Which classes of sizes and lifetimes a filter selects, if it selects classes.
#pragma once

#include <cstdint>
#include <optional>

#include "analyzer/index/lives.h"
#include "analyzer/query/filter.h"

namespace heapledger {

struct ClassRange {
  uint8_t first = 0;
  uint8_t last = 0;
};

// Nothing when a bound lies within a class, or when there is nothing between them.
std::optional<ClassRange> size_classes_of(const Bounds& bytes);
std::optional<ClassRange> lifetime_classes_of(const Bounds& ns);

// Whether rows tell what the filter selects.
bool can_choose(const Filter& filter, const Lives& lives);

}  // namespace heapledger
