// Where the live bytes lie: address by time, as a grid of bounded size. The first pass over the
// blocks finds the regions of the address space that are used, far apart from one another; the
// second fills the cells. A cell has the mean of the live bytes in it over its time, so that a
// column adds up to the mean of all live bytes. Of sampled ledgers, a block counts with the bytes
// that it stands for, in its own place: a cell may then hold more than there is room in it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/query.h"
#include "analyzer/query/classes.h"
#include "analyzer/query/used_addresses.h"

namespace heapledger {

struct HeapMapShape {
  size_t rows = 200;     // at most
  size_t columns = 320;  // exactly
  size_t regions = 12;   // at most
};

// Addresses of one process next to one another: the rows from first_row on.
struct HeapRegion {
  uint32_t ledger = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
  size_t first_row = 0;
  size_t rows = 0;
};

struct HeapMap {
  // Sizes from a power of two to the next: [0] is 0 bytes, [n] from 2^(n-1) to 2^n - 1.
  static constexpr size_t kSizeClasses = kSizeClassCount;

  size_t rows = 0;
  size_t columns = 0;
  uint64_t begin_ns = 0;            // of the first column
  uint64_t cell_bytes = 0;          // of addresses in every cell: a power of two
  double column_ns = 0;             // of time
  std::vector<HeapRegion> regions;  // by process and address
  std::vector<double> cells;        // mean live bytes: row * columns + column
  std::vector<double> elsewhere;    // by column: in regions that are not shown
  std::vector<std::array<double, kSizeClasses>> sizes;  // by column: mean live bytes of a class

  double cell(size_t row, size_t column) const { return cells[row * columns + column]; }
};

// Looks at filter, ledger and range of the question; without a range it is of the whole run. Two
// passes; or one, where what the blocks use was collected by another of the whole run: every event
// of them told to note_used().
HeapMap heap_map(Ledgers& ledgers, const Question& question, const HeapMapShape& shape);
HeapMap heap_map(Ledgers& ledgers, const Question& question, const HeapMapShape& shape,
                 const std::vector<UsedAddresses>& used);

// `used`: by process.
void note_used(const BlockEvent& event, std::vector<UsedAddresses>& used);

}  // namespace heapledger
