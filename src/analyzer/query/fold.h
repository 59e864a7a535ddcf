// From what a pass has counted to the rows or the tree of an answer.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analyzer/ledger_set.h"
#include "analyzer/query.h"
#include "analyzer/query/cells.h"
#include "analyzer/query/grouping.h"

namespace heapledger {

// One group on its way to a row.
struct FoldedGroup {
  Cell all;
  Cell self;
  uint64_t stacks = 0;         // whose self it is
  uint32_t largest = 0;        // of these: the account …
  uint64_t largest_value = 0;  // … and what it has

  void add_stack(uint32_t account, const Cell& cell, uint64_t value);
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

  // Totals over all cells that count.
  void totals(Answer& answer, const std::vector<char>& selected);

  Figures figures(const Cell& cell, const Extras* extras, const PeakCell* peak) const;

  // Of one stack, as far as it takes to tell which is the larger one.
  uint64_t sort_value(uint32_t account) const;

 private:
  // A group among others, by what decides.
  struct Ranked {
    uint64_t value = 0;
    uint64_t bytes = 0;
    uint32_t group = Grouping::kNone;
  };
  std::vector<Ranked> rank_groups_apart(const Grouping& grouping,
                                        const std::vector<char>& selected) const;
  // `places` of the groups that are wanted, or kNone.
  std::vector<FoldedGroup> fold_apart(const Grouping& grouping, const std::vector<char>& selected,
                                      const std::vector<uint32_t>& places, size_t count) const;
  std::vector<FoldedGroup> fold(const Grouping& grouping, const std::vector<char>& selected) const;
  std::vector<Extras> fold_extras(const Grouping& grouping, const std::vector<char>& selected,
                                  const std::vector<uint32_t>& places, size_t count,
                                  bool self) const;

  const LedgerSet& set_;
  const Question& question_;
  const Tallied& tallied_;
};

}  // namespace heapledger
