// Trees of calls that are grown from their roots, the largest branch first, and only as far as they
// are asked for: of a compiler's million stacks a few thousand nodes are worth showing, and making
// the others up would take most of the time.
//
// For measures that add up. Where nodes need peaks of their own, or are put in an order that cannot
// be told from their parts, all of the tree is made before anything is counted (grouping.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "analyzer/query/call_tree.h"
#include "analyzer/query/cells.h"
#include "analyzer/query/grouping.h"
#include "analyzer/query/stretch_sums.h"

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

// `value` is what an account has of what the question sorts by; nothing for those that do not
// count. The nodes come the largest first; those with less than question.least_share of the root
// are left out, and at most question.most_nodes are made.
Grouping grow_tree(const Question& question, const std::vector<uint32_t>& sites, StackNames& names,
                   const CallTree& calls,
                   const std::function<std::optional<uint64_t>(uint32_t account)>& value);

// The same of what sums are there of, with what every node has; top down only. Its accounts are not
// told apart any more.
struct SummedTree {
  Grouping grouping;
  std::vector<FoldedGroup> folded;  // by node
  uint64_t cut_sites = 0;           // Answer::cut_sites
};
SummedTree grow_summed_tree(const Question& question, StackNames& names, const CallTree& calls,
                            const AccountOrder& order, const StretchSums& sums);

}  // namespace heapledger
