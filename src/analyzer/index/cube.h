// The cube: how many blocks and bytes of every account were born in each bucket of time and ended
// in each other one. From it the live heap at every edge between two buckets, and what happened
// between two edges, are sums over its rows; no entry has to be read again.
//
// Exact at edges, and only there. Buckets are those of a Series: edge i is the last nanosecond of
// bucket i. Immutable once made, so that several threads may ask.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/index/lives.h"
#include "analyzer/packed_rows.h"
#include "analyzer/paged.h"
#include "analyzer/query/cells.h"
#include "analyzer/query/edges.h"
#include "analyzer/query/timeline.h"

namespace heapledger {

// Blocks that outlived the bucket they were born in, or were still there when their process ended.
struct Stay {
  uint32_t account = 0;
  uint16_t birth = 0;
  uint16_t death = 0;  // the bucket, and kLeft if the end was the process's
  uint64_t blocks = 0;
  uint64_t bytes = 0;

  static constexpr uint16_t kLeft = kLeftBit;
  uint16_t last() const { return death & ~kLeft; }
  bool is_left() const { return (death & kLeft) != 0; }

  // By birth, death, account.
  uint64_t place() const {
    return uint64_t{birth} << 48 | uint64_t{death} << 32 | uint64_t{account};
  }
  bool join(const Stay& other);  // false: they stay two rows
  bool operator==(const Stay&) const = default;
};

// What happened to the blocks of an account in a bucket. Counts that do not fit are in a second row
// of the same place.
struct Change {
  uint32_t account = 0;
  uint32_t bucket = 0;
  uint32_t calls = 0;
  uint32_t frees = 0;
  uint32_t ended_blocks = 0;
  uint32_t temporary_calls = 0;  // of blocks born in the bucket
  uint64_t bytes = 0;
  uint64_t ended_bytes = 0;
  uint64_t smallest = UINT64_MAX;
  uint64_t largest = 0;

  // By bucket, account.
  uint64_t place() const { return uint64_t{bucket} << 32 | account; }
  bool join(const Change& other);  // false: they stay two rows
  bool operator==(const Change&) const = default;
};

// The same of what happens to few; temporary calls are above.
struct RareChange : RareSums {
  uint32_t account = 0;
  uint32_t bucket = 0;

  uint64_t place() const { return uint64_t{bucket} << 32 | account; }
  bool join(const RareChange& other);  // false: they stay two rows
  bool operator==(const RareChange&) const = default;
};

// Where no changes are kept there is room for so many times as many stays.
inline constexpr size_t kStaysInPlaceOfChanges = 2;

struct Cube {
  Edges edges;
  // Of what changes: they may be wider or less wide by twos; none where nearly every account
  // changes all the time, so that hardly any would be left.
  Edges change_edges;
  // Each in the order of their places.
  PackedRows<Stay> stays;
  std::vector<Change> changes;
  std::vector<RareChange> rare_changes;
  std::vector<LifeSpread> spreads;  // of accounts, whatever their blocks: only samples have them

  // What accounts do not tell; and the same of all accounts together. Counting it takes longer than
  // all the rest, so it may have been left out.
  bool has_counted_lives = false;
  Lives lives;
  Lives all_lives;

  // Adds what is live at an edge to the cells of accounts.
  void add_live(uint32_t edge, Paged<Cell>& cells) const;

  // All rows of what is live at an edge and was born in one of the buckets up to it. Those that
  // ended before are not looked at.
  template <typename Use>
  void for_each_live(uint32_t first, uint32_t edge, const Use& use) const;

  // Whether what happened between two edges is there, or in every single bucket.
  bool has_changes(std::optional<uint32_t> from, std::optional<uint32_t> to) const;
  bool has_all_changes() const {
    return change_edges.count > 0 && change_edges.width_ns <= edges.width_ns;
  }
  // If so.
  uint32_t bucket_of(const Change& change) const {
    return static_cast<uint32_t>(change.bucket / (edges.width_ns / change_edges.width_ns));
  }

  // What happened after the edge `from` up to the edge `to`; nothing: from the start, to the end.
  // Live is what was born then and is there at the end of it.
  void add_range(std::optional<uint32_t> from, std::optional<uint32_t> to,
                 Paged<Cell>& cells) const;

  // Of the accounts that are selected; empty: of all. Of what changes only if all of it is there.
  Timeline timeline(const std::vector<char>& selected) const;

  bool operator==(const Cube&) const = default;
};

template <typename Use>
void Cube::for_each_live(uint32_t first, uint32_t edge, const Use& use) const {
  auto find = [this](size_t from, uint64_t place) {
    return stays.find_end(from, [place](const Stay& stay) { return stay.place() < place; });
  };
  size_t row = 0;
  for (uint64_t birth = first; birth <= edge && row < stays.size(); ++birth) {
    // What was freed, and then what was left.
    for (const uint64_t left : {uint64_t{0}, uint64_t{Stay::kLeft}}) {
      const size_t begin = find(row, birth << 48 | (left | (edge + 1)) << 32);
      row = find(begin, ((birth << 16) + left + Stay::kLeft) << 32);
      stays.for_each(begin, row, use);
    }
  }
}

}  // namespace heapledger
