// What accounts alone do not tell: how many blocks of which thread, size class and lifetime class
// (query/classes.h) were born in one bucket of time and ended in another, or in the same one. From
// it come groups by these, and filters on them where their bounds are those of classes.
//
// Exact at edges of its own, which are some of the cube's. Does not change once it was made.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "analyzer/packed_rows.h"
#include "analyzer/paged.h"
#include "analyzer/query/cells.h"
#include "analyzer/query/edges.h"
#include "analyzer/query/timeline.h"

namespace heapledger {

// Set in the bucket of an end: that of the process, which has left the block.
inline constexpr uint16_t kLeftBit = 0x8000;

struct LifeKey {
  uint16_t birth = 0;
  uint16_t death = 0;  // the bucket, and kLeftBit
  uint32_t account = 0;
  uint32_t thread = 0;  // a place in Lives::threads
  uint8_t size_class = 0;
  uint8_t lifetime_class = 0;

  // Of what is told before it is known how long the block will live. Questions that ask for
  // lifetimes count other rows than those that do not.
  static constexpr uint8_t kAnyLifetime = 0xFF;

  const LifeKey& key() const { return *this; }
  uint16_t last() const { return death & static_cast<uint16_t>(~kLeftBit); }
  bool is_left() const { return (death & kLeftBit) != 0; }

  std::pair<uint64_t, uint64_t> place() const {
    return {uint64_t{birth} << 48 | uint64_t{death} << 32 | account,
            uint64_t{thread} << 16 | uint64_t{size_class} << 8 | lifetime_class};
  }
  bool operator==(const LifeKey&) const = default;
};

// Counts that do not fit are in a second row of the same place.
struct Life : LifeKey {
  uint32_t calls = 0;
  uint32_t frees = 0;
  uint32_t temporary_calls = 0;
  uint64_t bytes = 0;
  uint64_t smallest = UINT64_MAX;
  uint64_t largest = 0;

  bool join(const Life& other);  // false: they stay two rows
  bool operator==(const Life&) const = default;
};

// The same of what happens to few: twice, in the bucket in which it is told with any lifetime, and
// in that of the block's birth with its own.
struct LifeResizes : LifeKey, RareSums {
  bool join(const LifeResizes& other);  // false: they stay two rows
  bool operator==(const LifeResizes&) const = default;
};

// And of samples: what they add to the squares of errors, by birth and death; and the time that
// they stand for, in its bucket and with any lifetime.
struct LifeSpread : LifeKey {
  double calls_variance = 0;
  double bytes_variance = 0;
  uint64_t time_ns = 0;

  bool join(const LifeSpread& other);  // false: they stay two rows
  bool operator==(const LifeSpread&) const = default;
};

// Which births, which ends, and what is live.
struct LifeWindow {
  uint32_t first = 0;  // buckets
  uint32_t last = UINT32_MAX;
  std::optional<uint32_t> live_at;  // an edge; nothing: what processes have left

  bool has(uint32_t bucket) const { return bucket >= first && bucket <= last; }
  bool is_born(const LifeKey& key) const { return has(key.birth); }
  bool is_ended(const LifeKey& key) const { return !key.is_left() && has(key.death); }
  bool is_live(const LifeKey& key) const {
    if (!is_born(key)) return false;
    return live_at ? key.birth <= *live_at && key.last() > *live_at : key.is_left();
  }
};

// Which rows count. Empty: all accounts, all threads.
struct LifeChoice {
  std::vector<char> accounts;
  std::vector<char> threads;
  uint8_t least_size = 0;
  uint8_t most_size = UINT8_MAX;
  uint8_t least_lifetime = 0;
  uint8_t most_lifetime = UINT8_MAX;
  bool by_lifetime = false;  // they decide, or are told apart

  bool has(const LifeKey& key) const {
    return key.size_class >= least_size && key.size_class <= most_size &&
           key.lifetime_class >= least_lifetime && key.lifetime_class <= most_lifetime &&
           (threads.empty() || threads[key.thread] != 0) &&
           (accounts.empty() || (key.account < accounts.size() && accounts[key.account] != 0));
  }
  bool has_rare(const LifeKey& key) const {
    return has(key) && by_lifetime == (key.lifetime_class != LifeKey::kAnyLifetime);
  }
};

struct Lives {
  Edges edges;  // none: there were too many rows
  std::vector<ThreadId> threads;
  // Each in the order of their places.
  PackedRows<Life> lives;
  std::vector<LifeResizes> resizes;
  std::vector<LifeSpread> spreads;

  // `cell_of` gives the cell of a LifeKey, of which there are enough.
  template <typename CellOf>
  void count(const LifeWindow& window, const LifeChoice& choice, const CellOf& cell_of,
             Paged<Cell>& cells) const;

  Timeline timeline(const LifeChoice& choice) const;

  bool operator==(const Lives&) const = default;
};

// Of rows that are of single accounts, or of what else a cell is for.
inline void add_spread(const LifeWindow& window, const LifeSpread& row, Cell& cell) {
  if (window.is_born(row)) {
    cell.calls_variance += row.calls_variance;
    cell.bytes_variance += row.bytes_variance;
    cell.time_ns += row.time_ns;
  }
  if (window.is_live(row)) cell.live_variance += row.bytes_variance;
}

template <typename CellOf>
void Lives::count(const LifeWindow& window, const LifeChoice& choice, const CellOf& cell_of,
                  Paged<Cell>& cells) const {
  const size_t end = lives.find_end(0, [&](const Life& l) { return l.birth <= window.last; });
  lives.for_each(0, end, [&](const Life& life) {
    const bool is_born = window.is_born(life), is_ended = window.is_ended(life);
    if ((!is_born && !is_ended) || !choice.has(life)) return;
    Cell& cell = cells[cell_of(life)];
    if (is_born) {
      cell.calls += life.calls;
      cell.bytes += life.bytes;
      cell.temporary_calls += life.temporary_calls;
      cell.smallest = std::min(cell.smallest, life.smallest);
      cell.largest = std::max(cell.largest, life.largest);
    }
    if (window.is_live(life)) {
      cell.live_blocks += life.calls;
      cell.live_bytes += life.bytes;
    }
    if (!is_ended) return;
    cell.frees += life.frees;
    cell.ended_blocks += life.calls;
    cell.ended_bytes += life.bytes;
  });
  for (const LifeResizes& row : resizes) {
    if (!window.is_born(row) || !choice.has_rare(row)) continue;
    cells[cell_of(row)].RareSums::add(row);
  }
  for (const LifeSpread& row : spreads) {
    const bool is_time = row.lifetime_class == LifeKey::kAnyLifetime;
    if (!window.is_born(row) || (is_time && choice.by_lifetime) || !choice.has(row)) continue;
    add_spread(window, row, cells[cell_of(row)]);
  }
}

}  // namespace heapledger
