// What accounts add up to over any stretch of their order (account_order.h), without adding them up
// again: sums up to every place are there, and those of a stretch are a difference. What the whole
// recording has is the same whatever moment is asked about, so only what is live is added up anew.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/accounts.h"
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
  explicit Extremes(std::vector<Pair> sizes);
  Pair of(AccountStretch stretch) const;

 private:
  static constexpr uint32_t kFan = 16;
  std::vector<std::vector<Pair>> levels_;  // each is what so many of the one before have
};

// Of the whole recording, with nothing live.
class WholeSums {
 public:
  WholeSums(const Accounts& accounts, const AccountOrder& order);

  // False: some have what sums alone do not tell, as samples have.
  bool are_all() const { return are_all_; }

  uint32_t places() const { return static_cast<uint32_t>(counts_.size()) - 1; }
  // Of one sum: before every place.
  struct Column {
    const uint64_t* first = nullptr;  // none: nobody has any
    size_t step = 1;                  // from place to place

    uint64_t at(uint32_t place) const { return first[place * step]; }
    uint64_t of(AccountStretch stretch) const {
      return first == nullptr ? 0 : at(stretch.end) - at(stretch.first);
    }
  };
  Column column(uint64_t Sums::*sum) const;
  // Of accounts that have anything, likewise.
  const std::vector<uint32_t>& counts() const { return counts_; }
  const Extremes& sizes() const { return sizes_; }

  // Nothing is live.
  Sums of(AccountStretch stretch) const;

 private:
  bool are_all_ = true;
  std::vector<uint64_t Sums::*> columns_;  // that somebody has any of
  std::vector<uint64_t> table_;            // a row before every place
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

  // How many accounts have anything.
  uint32_t count(AccountStretch stretch) const {
    return counts_[stretch.end] - counts_[stretch.first];
  }
  uint64_t bytes(AccountStretch stretch) const { return bytes_.of(stretch); }
  // Of what sorts.
  uint64_t value(AccountStretch stretch) const {
    switch (by_) {
      case By::kLiveBytes:
        return live_[stretch.end].bytes - live_[stretch.first].bytes;
      case By::kLiveBlocks:
        return live_[stretch.end].blocks - live_[stretch.first].blocks;
      default:
        return values_.of(stretch);
    }
  }

  // What is selected, as stretches.
  const std::vector<AccountStretch>& runs() const { return runs_; }

 private:
  enum class By { kLiveBytes, kLiveBlocks, kColumn };

  void select(const std::vector<char>& selected, const AccountOrder& order);
  WholeSums::Column select_column(WholeSums::Column whole, std::vector<uint64_t>& own) const;
  Sums up_to(uint32_t place) const;
  Extremes::Pair sizes_of(AccountStretch stretch) const;

  const WholeSums& whole_;
  By by_ = By::kColumn;
  std::vector<Live>& live_;  // before a place
  std::vector<AccountStretch> runs_;
  std::vector<uint32_t> run_after_;  // by place: the first that ends behind it
  std::vector<Sums> before_runs_;    // what all earlier ones have, if there are several
  Extremes of_runs_;
  std::vector<uint32_t> own_counts_;
  std::vector<uint64_t> own_bytes_;
  std::vector<uint64_t> own_values_;
  const uint32_t* counts_ = nullptr;
  WholeSums::Column bytes_;
  WholeSums::Column values_;
};

}  // namespace heapledger
