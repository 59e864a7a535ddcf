// Makes Lives, in the pass that makes the cube. Most blocks are like others that ended just before:
// they are added up in a small table; what has to leave that is sorted and added up now and then.
// When there are too many rows, two buckets become one; when that leaves too few of them, it is
// given up. What leaves the table may go on to another book, that does not tell accounts apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "analyzer/index/lives.h"
#include "analyzer/index/rows.h"

namespace heapledger {

// Blocks that have ended, as they are added up.
struct LifeSums : LifeKey {
  uint64_t calls = 0;
  uint64_t frees = 0;
  uint64_t temporary_calls = 0;
  uint64_t bytes = 0;
  uint64_t smallest = UINT64_MAX;
  uint64_t largest = 0;

  bool empty() const { return smallest > largest; }
  void add(const LifeSums& other);
};

// Of every pair of buckets one.
template <typename Row>
void halve_places(SortedRows<Row>& rows) {
  for (Row& row : rows.rows) {
    row.birth /= 2;
    row.death = static_cast<uint16_t>(row.last() / 2 | (row.death & kLeftBit));
  }
  rows.sort_again();
}

class LivesBook {
 public:
  // At most so many rows of each kind, and half as many again that wait to be sorted.
  LivesBook(Edges edges, size_t most_rows, LivesBook* of_all_accounts);

  // In buckets of the pass.
  void add(const LifeSums& life);
  void add(LifeResizes row);
  void add(LifeSpread row);

  // After the pass: once those that it may get rows from have been taken.
  using AccountOf = std::function<uint32_t(uint32_t)>;
  Lives take(std::vector<ThreadId> threads, const AccountOf& account_of);

 private:
  static constexpr size_t kSlots = 16384;
  static constexpr uint32_t kLeastEdges = 64;

  template <typename Row>
  void place(Row& row, SortedRows<Row>& rows);
  void move_out(const LifeSums& sums);
  void keep_within_bounds();
  void give_up();
  void halve();

  Edges edges_;
  size_t most_rows_;
  LivesBook* of_all_accounts_;
  unsigned halved_ = 0;
  bool given_up_ = false;
  std::vector<LifeSums> slots_;
  SortedRows<Life> lives_;
  SortedRows<LifeResizes> resizes_;
  SortedRows<LifeSpread> spreads_;
};

}  // namespace heapledger
