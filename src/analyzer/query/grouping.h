// Which groups the sites belong to: every site (by its account) to some of them, and itself to one.
// Groups by site, function, file, line or module, or the nodes of a tree of calls.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/query.h"
#include "analyzer/query/call_tree.h"
#include "analyzer/query/fold_plan.h"
#include "analyzer/query/stack_names.h"

namespace heapledger {

struct GroupInfo {
  uint32_t name = 0;            // a text of StackNames
  uint32_t frame = UINT32_MAX;  // one of its frames that are in the group, if any
  uint32_t parent = 0;          // trees: the group outside; node 0 is the root
};

struct Grouping {
  static constexpr uint32_t kNone = UINT32_MAX;

  std::vector<GroupInfo> groups;
  std::vector<uint32_t> self;  // by account: the group it adds to itself; kNone: not at all
  bool is_tree = false;        // the groups of an account are its own and all outside that
  std::vector<uint32_t> cut;   // accounts whose stacks end early, as there is no room for more

  // Of trees that were grown only where it is worth it (tree_growth.h).
  std::vector<char> ends_early;  // by account: its group is only one outside its own
  std::vector<uint32_t> hidden;  // by group: how many inside it are left out

  // Of groups that are parts.
  struct PartInfo {
    std::vector<uint32_t> path;   // the frames of the call, the innermost first
    uint32_t owner = UINT32_MAX;  // the frame to blame for most of it …
    uint64_t owned = 0;           // … and for how much
  };
  std::vector<PartInfo> parts;

  // Where every function on a stack has a group.
  std::shared_ptr<const FoldPlan> plan;

  // Else, where groups overlap: appends those of an account. They are found anew each time: kept
  // for all of them, they would take as much memory as all stacks. For one thread at a time.
  std::function<void(uint32_t account, std::vector<uint32_t>& groups)> add_groups;

  bool is_early(uint32_t account) const {
    return account < ends_early.size() && ends_early[account] != 0;
  }

  // Those of one account, each once.
  void find(uint32_t account, std::vector<uint32_t>& found) const;
};

// The groups of all accounts, for those who need them again and again.
struct Members {
  std::vector<uint32_t> offsets;  // by account: where its groups begin; one more than accounts
  std::vector<uint32_t> groups;
};

// Throws Error when that is more than memory should be taken for.
Members list_members(const Grouping& grouping);

// The site of every account; SiteCatalog::kRoot where there is none.
std::vector<uint32_t> sites_of_accounts(const SiteCatalog& catalog, uint32_t accounts);
std::vector<uint32_t> heaps_of_accounts(const SiteCatalog& catalog, uint32_t accounts);

// Which accounts pass the filter on stacks.
std::vector<char> select_stacks(const Filter& filter, const std::vector<uint32_t>& sites,
                                StackNames& names);

// For question.by of kFunction, kFile, kLine, kModule, kOwner, and for trees. What is given has to
// outlive the result. Trees have at most question.most_nodes nodes: the stacks in `order` (of
// accounts; empty: as they are) that come last end early when there are more. `walk`: the order of
// the accounts, where it is known already.
Grouping group_stacks(const Question& question, const std::vector<uint32_t>& sites,
                      StackNames& names, const CallTree& calls,
                      const std::vector<uint32_t>& order = {},
                      std::shared_ptr<const AccountOrder> walk = nullptr);

}  // namespace heapledger
