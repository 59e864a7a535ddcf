// Makes Lives, in the pass that makes the cube. Most blocks are like one of the last two of their
// account that ended before: they are added up in place. What makes room for others is sorted and
// added up now and then; it goes on to another book, which does not tell accounts apart, and has a
// small table in place of accounts. When there are too many rows, two buckets become one; when that
// leaves too few of them, it is given up.
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
inline void halve_place(LifeKey& key) {
  key.birth /= 2;
  key.death = static_cast<uint16_t>(key.last() / 2 | (key.death & kLeftBit));
}
template <typename Row>
void halve_places(SortedRows<Row>& rows) {
  for (Row& row : rows.rows) halve_place(row);
  rows.sort_again();
}

class LivesBook {
 public:
  // At most so many rows of each kind, and half as many again that wait to be sorted; at most so
  // many edges of those there are. `of_all`: nullptr in the book that does not tell accounts apart.
  LivesBook(Edges edges, size_t most_rows, uint32_t most_edges, LivesBook* of_all);

  // In buckets of the pass.
  void add(const LifeSums& life);
  void add(LifeResizes row);
  void add(LifeSpread row);

  void prefetch(uint32_t account) const {
    const uint32_t first = kSlotsOfAccount * account;
    if (first < slots_.size()) __builtin_prefetch(&slots_[first], 1);
  }

  // After the pass, before the book of all accounts. `account_of`: none where no two accounts
  // turned out to be one.
  using AccountOf = std::function<uint32_t(uint32_t)>;
  Lives take(std::vector<ThreadId> threads, const AccountOf& account_of);

  // Forgets all, and takes no more.
  void give_up();

 private:
  static constexpr uint32_t kSlots = 1u << 15;
  static constexpr uint32_t kSlotsOfAccount = 2;
  static constexpr uint32_t kLeastEdges = 64;

  template <typename Row>
  void place(const Row& row, SortedRows<Row>& rows);
  void to_own_buckets(LifeKey& key) const;
  void move_out(const LifeSums& sums);
  void move_out_all();
  void keep_within_bounds();
  void halve();

  Edges edges_;
  size_t most_rows_;
  unsigned halved_ = 0;
  bool given_up_ = false;
  LivesBook* of_all_;
  Paged<LifeSums> slots_;  // in buckets of the pass
  SortedRows<Life> lives_;
  SortedRows<LifeResizes> resizes_;
  SortedRows<LifeSpread> spreads_;
};

}  // namespace heapledger
