// From what was counted by account to the rows or the tree of an answer by stacks.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "analyzer/closed_accounts.h"
#include "analyzer/ledger_set.h"
#include "analyzer/query/account_order.h"
#include "analyzer/query/answer.h"
#include "analyzer/query/call_tree.h"
#include "analyzer/query/cells.h"
#include "analyzer/query/grouping.h"
#include "analyzer/query/question.h"
#include "analyzer/query/stack_names.h"

namespace heapledger {

bool is_by_stack(const Question& question);
bool is_by_part(const Question& question);
// Of groups that overlap: a pass has to know them.
bool has_own_peaks(const Question& question);

// Throws Error when the question cannot be answered for so many ledgers.
void check(const Question& question, size_t ledgers);

// What an answer is made of beside the figures. Accounts are those of the whole recording, and tell
// which stacks end early where there is no room for all.
struct StackWorld {
  const LedgerSet& set;
  const std::vector<uint32_t>& sites;  // by account
  StackNames& names;
  const CallTree& calls;
  const ClosedAccounts* accounts;  // nullptr: nothing was read but what is live
  std::shared_ptr<const AccountOrder> order = nullptr;  // if it is known already
};

// `selected`: which accounts count, empty for all.
Grouping find_groups(const Question& question, const StackWorld& world,
                     const std::vector<char>& selected, const Tallied& tallied);

// The rows or the tree, where the question is by stack.
void answer_by_stack(const Question& question, const StackWorld& world, const Grouping& grouping,
                     const std::vector<char>& selected, const Tallied& tallied, Answer& answer);

// The frame to blame, as the row of a site has it.
void describe_site(uint32_t site, StackNames& names, Row& row);

}  // namespace heapledger
