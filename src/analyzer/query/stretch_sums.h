// What accounts add up to over any stretch of their order (account_order.h), without adding them up
// again: sums up to every place are there, and those of a stretch are a difference. What the whole
// recording has is the same whatever moment is asked about, so only what is live is added up anew.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "analyzer/closed_accounts.h"
#include "analyzer/query/account_order.h"
#include "analyzer/query/cells.h"

namespace heapledger {

// The smallest and the largest of sizes that stand in a row, of any stretch of it.
class Extremes {
 public:
  struct Pair {
    uint64_t smallest = UINT64_MAX;
    uint64_t largest = 0;

    void add(const Pair& other) {
      if (other.smallest < smallest) smallest = other.smallest;
      if (other.largest > largest) largest = other.largest;
    }
  };

  Extremes() = default;
  explicit Extremes(const std::vector<Pair>& sizes);
  Pair of(AccountStretch stretch) const;

 private:
  static constexpr uint32_t kFan = 16;
  // Each is what so many of the one before have.
  template <typename Size>
  using Levels = std::vector<std::vector<std::pair<Size, Size>>>;
  template <typename Size>
  static Levels<Size> levels_of(const std::vector<Pair>& sizes);
  template <typename Size>
  static Pair of(const Levels<Size>& levels, AccountStretch stretch);

  Levels<uint32_t> levels_;
  Levels<uint64_t> large_;  // in place of these, where some do not fit
};

// Of the whole recording, with nothing live.
class WholeSums {
 public:
  WholeSums(const ClosedAccounts& accounts, const AccountOrder& order);

  // False: some have what sums alone do not tell, as samples have.
  bool are_all() const { return are_all_; }

  uint32_t places() const { return static_cast<uint32_t>(counts_.size()) - 1; }
  // Of one sum: before every place.
  struct Column {
    const WholeSums* whole = nullptr;  // none: nobody has any
    size_t number = 0;
    uint64_t Sums::*sum = nullptr;

    uint64_t at(uint32_t place) const { return whole->at(place, number); }
    uint64_t of(AccountStretch stretch) const {
      return whole == nullptr ? 0 : at(stretch.end) - at(stretch.first);
    }
  };
  Column column(uint64_t Sums::*sum) const;
  // Of accounts that have anything, likewise.
  const std::vector<uint32_t>& counts() const { return counts_; }
  const Extremes& sizes() const { return sizes_; }

  // Nothing is live.
  Sums of(AccountStretch stretch) const;

 private:
  static constexpr uint32_t kPlaces = 64;  // of a part
  static constexpr size_t kFits = SIZE_MAX;
  struct Named {
    uint64_t Sums::*sum;
    size_t number;  // of a column: some have the same
  };

  uint64_t at(uint32_t place, size_t number) const {
    const uint32_t part = place / kPlaces;
    if (large_at_[part] != kFits) [[unlikely]] {
      return large_[(large_at_[part] + place % kPlaces) * columns_ + number];
    }
    return begins_[part * columns_ + number] + more_[place * columns_ + number];
  }
  void find_columns(const std::vector<Sums>& all);
  void add_up(const std::vector<Sums>& all);

  bool are_all_ = true;
  std::vector<Named> named_;  // that somebody has any of
  size_t columns_ = 0;
  // A row for each part of the order, what all before it have; one before every place, how much
  // more that is; and where that does not fit, whole ones.
  std::vector<uint64_t> begins_;
  std::vector<uint32_t> more_;
  std::vector<size_t> large_at_;  // by part: its first row in large_, or kFits
  std::vector<uint64_t> large_;
  std::vector<uint32_t> counts_;
  Extremes sizes_;
};

// Of what is selected, at a moment.
class StretchSums {
 public:
  struct Live {
    uint64_t bytes = 0;
    uint64_t blocks = 0;
  };

  // `selected`: accounts; empty: all. `live`: by place, and one more; sums are made of it. What is
  // given has to outlive this, but for the selection.
  StretchSums(const WholeSums& whole, const AccountOrder& order, const std::vector<char>& selected,
              std::vector<Live>& live, Measure sort);

  Cell of(AccountStretch stretch) const;
  Live live(AccountStretch stretch) const {
    return {live_[stretch.end].bytes - live_[stretch.first].bytes,
            live_[stretch.end].blocks - live_[stretch.first].blocks};
  }

  // Nothing is left out.
  bool are_all() const { return run_after_.empty(); }
  // What sorts is what is live.
  bool is_by_live() const { return by_ != By::kColumn; }

  // How many accounts have anything.
  uint32_t count(AccountStretch stretch) const {
    return count_up_to(stretch.end) - count_up_to(stretch.first);
  }
  uint64_t bytes(AccountStretch stretch) const { return of(bytes_, stretch); }
  // Of what sorts.
  uint64_t value(AccountStretch stretch) const {
    switch (by_) {
      case By::kLiveBytes:
        return live_[stretch.end].bytes - live_[stretch.first].bytes;
      case By::kLiveBlocks:
        return live_[stretch.end].blocks - live_[stretch.first].blocks;
      default:
        return of(values_, stretch);
    }
  }

  // What is selected, as stretches.
  const std::vector<AccountStretch>& runs() const { return runs_; }

 private:
  enum class By { kLiveBytes, kLiveBlocks, kColumn };

  void select(const std::vector<char>& selected, const AccountOrder& order);
  // Of a place: the run that it is in, or the next; and how much of that comes before it.
  struct Up {
    size_t run;
    AccountStretch part;
  };
  Up up(uint32_t place) const {
    const size_t run = run_after_[place];
    if (run == runs_.size()) return {run, {}};
    return {run, {runs_[run].first, std::max(runs_[run].first, place)}};
  }
  uint32_t count_up_to(uint32_t place) const {
    const std::vector<uint32_t>& counts = whole_.counts();
    if (are_all()) return counts[place];
    const auto [run, part] = up(place);
    return counts_before_[run] + counts[part.end] - counts[part.first];
  }
  uint64_t up_to(const WholeSums::Column& column, uint32_t place) const {
    const auto [run, part] = up(place);
    return before_runs_[run].*column.sum + column.of(part);
  }
  uint64_t of(const WholeSums::Column& column, AccountStretch stretch) const {
    if (are_all() || column.whole == nullptr) return column.of(stretch);
    return up_to(column, stretch.end) - up_to(column, stretch.first);
  }
  Sums up_to(uint32_t place) const;
  Extremes::Pair sizes_of(AccountStretch stretch) const;

  const WholeSums& whole_;
  By by_ = By::kColumn;
  std::vector<Live>& live_;  // before a place
  std::vector<AccountStretch> runs_;
  // If that is not all:
  std::vector<uint32_t> run_after_;      // by place: the first that ends behind it
  std::vector<Sums> before_runs_;        // what all earlier ones have; one more than runs
  std::vector<uint32_t> counts_before_;  // likewise
  Extremes of_runs_;
  WholeSums::Column bytes_;
  WholeSums::Column values_;
};

}  // namespace heapledger
