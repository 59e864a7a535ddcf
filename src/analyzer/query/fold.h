// From what a pass has counted to the rows or the tree of an answer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "analyzer/ledger_set.h"
#include "analyzer/packed_rows.h"
#include "analyzer/query.h"
#include "analyzer/query/cells.h"
#include "analyzer/query/grouping.h"
#include "analyzer/query/stretch_sums.h"
#include "analyzer/query/tree_growth.h"

namespace heapledger {

// Groups, and where their accounts are in an order.
class OrderedGroups {
 public:
  OrderedGroups(std::shared_ptr<const Grouping> groups,
                std::shared_ptr<const AccountOrder> in_order);

  const Grouping& grouping() const { return *grouping_; }
  const AccountOrder& order() const { return *order_; }
  // What each group has in the whole recording, with nothing live: the same whatever moment is
  // asked about. Made when it is first asked for.
  const PackedRows<Cell>& whole(const StretchSums& of_all) const;
  // By place: the group that the account adds to itself.
  const std::vector<uint32_t>& self() const { return self_; }

  // Of its plan those that have something.
  std::vector<uint32_t> steps_of(const StretchSums& sums) const;
  // What each group has in all; `use` gets the group and a stretch that has something.
  template <typename Use>
  void for_each(const StretchSums& sums, const std::vector<uint32_t>& steps, const Use& use) const;

 private:
  std::shared_ptr<const Grouping> grouping_;
  std::shared_ptr<const AccountOrder> order_;
  std::vector<uint32_t> self_;
  mutable std::once_flag once_;
  mutable PackedRows<Cell> whole_;
};

class Fold {
 public:
  Fold(const LedgerSet& set, const Question& question, const Tallied& tallied)
      : set_(set), question_(question), tallied_(tallied) {}

  // Cells are groups; `describe` fills in what a cell stands for.
  void cells_as_rows(Answer& answer, const std::function<void(uint32_t cell, Row& row)>& describe);

  // `selected`: which accounts count, empty for all.
  void groups_as_rows(Answer& answer, const Grouping& grouping, const std::vector<char>& selected,
                      const StackNames& names);
  void groups_as_tree(Answer& answer, const Grouping& grouping, const std::vector<char>& selected,
                      const StackNames& names);

  // The same where sums are there already.
  void groups_as_rows(Answer& answer, const OrderedGroups& groups, const StretchSums& sums,
                      const StackNames& names);
  void groups_as_tree(Answer& answer, const SummedTree& tree, const StackNames& names);
  void totals(Answer& answer, const Cell& sum);

  // Totals over all cells that count.
  void totals(Answer& answer, const std::vector<char>& selected);

  Figures figures(const Cell& cell, const Extras* extras, const PeakCell* peak) const;

  // Of one stack, as far as it takes to tell which is the larger one.
  uint64_t sort_value(uint32_t account) const;

 private:
  // A group that is in the answer, if it is large enough.
  struct Place {
    uint64_t value = 0;
    uint64_t then = 0;  // among equals
    uint32_t group = Grouping::kNone;
  };
  std::vector<Place> rank_groups_apart(const Grouping& grouping,
                                       const std::vector<char>& selected) const;
  // `places` of the groups that are wanted, or kNone.
  std::vector<FoldedGroup> fold_apart(const Grouping& grouping, const std::vector<char>& selected,
                                      const std::vector<uint32_t>& places, size_t count) const;
  size_t put_in_order(const Grouping& grouping, std::vector<Place>& order) const;
  uint64_t value(const Cell& cell, const Extras* extras, const PeakCell* peak) const;
  Row row_of_group(const Grouping& grouping, uint32_t group, const FoldedGroup& folded,
                   const StackNames& names) const;
  void tree_of_groups(Answer& answer, const Grouping& grouping, const std::vector<char>& selected,
                      const std::vector<FoldedGroup>& folded, const StackNames& names);
  std::vector<FoldedGroup> fold(const Grouping& grouping, const std::vector<char>& selected) const;
  std::vector<Extras> fold_extras(const Grouping& grouping, const std::vector<char>& selected,
                                  const std::vector<uint32_t>& places, size_t count,
                                  bool self) const;

  const LedgerSet& set_;
  const Question& question_;
  const Tallied& tallied_;
};

}  // namespace heapledger
