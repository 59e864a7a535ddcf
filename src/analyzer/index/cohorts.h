// What a cube says of births and ends together: a plane with a cell for each time of birth and each
// time of end, and what the blocks of a rectangle of it add up to, by account. Blocks that ended in
// the bucket that they were born in are what the births of that bucket leave when those that stayed
// are taken away.
#pragma once

#include <cstdint>

#include "analyzer/index/cube.h"
#include "analyzer/paged.h"
#include "analyzer/query/cells.h"
#include "analyzer/query/cohort.h"

namespace heapledger {

// At most so many cells wide: neighbours become one, by twos. `selected`: accounts; empty: all.
Cohorts cohorts_of(const Cube& cube, const std::vector<char>& selected, uint32_t most_cells);

// Adds calls, bytes, and what ended or is live to the cells of accounts.
void add_cohort(const Cube& cube, const Cohort& cohort, Paged<Cell>& cells);

}  // namespace heapledger
