// Blocks by when they were born and when they ended, in buckets of the index.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/query/edges.h"

namespace heapledger {

// Buckets of the index, both ends included.
struct BucketRange {
  uint32_t first = 0;
  uint32_t last = UINT32_MAX;
  bool has(uint32_t bucket) const { return bucket >= first && bucket <= last; }
};

// Those born in one range that ended in the other, or never did.
struct Cohort {
  BucketRange born;
  std::optional<BucketRange> died;
  bool left = false;  // with those that were there when their process ended
};

// The plane of births and ends. Cells are of so many buckets of the index in both directions.
struct Cohorts {
  struct Cell {
    uint32_t birth = 0;
    uint32_t death = 0;  // `count`: never, they were left when their process ended
    uint64_t blocks = 0;
    uint64_t bytes = 0;
    bool operator==(const Cell&) const = default;
  };

  Edges edges;  // of the index
  uint32_t buckets_per_cell = 1;
  uint32_t count = 0;       // cells of a row
  std::vector<Cell> cells;  // by birth and death, those that are not empty
};

}  // namespace heapledger
