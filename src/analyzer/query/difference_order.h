// What is told of all rows of a difference: how many changed and how, who is to blame for most of
// it, and their order.
#pragma once

#include "analyzer/query/difference.h"

namespace heapledger {

// Counts all, and keeps the first of them. Rows that are on neither side are dropped.
void order_rows(Difference& difference, const DifferenceQuestion& question);

}  // namespace heapledger
