// In which order the calls on all stacks are added up, so that what is inside a call is added once,
// however many stacks go through it: from the innermost calls outwards. Which groups each call adds
// to is the same whatever was counted.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "analyzer/query/account_order.h"
#include "analyzer/query/call_tree.h"
#include "analyzer/query/stack_names.h"

namespace heapledger {

class FoldPlan {
 public:
  // For groups of which every frame has one; recursion counts once. What is given is not needed
  // afterwards.
  FoldPlan(const CallTree& calls, const std::vector<uint32_t>& sites, StackNames& names,
           const std::vector<uint32_t>& group_of_frame, std::shared_ptr<const AccountOrder> order);

  // Calls that lead to the same accounts are one step. A step comes before those inside it, which
  // are one deeper and follow at once.
  struct Step {
    uint32_t depth = 0;
    uint32_t groups_end = 0;
    AccountStretch inside;  // of the order: what it leads to, …
    uint32_t own_end = 0;   // … of which what ends there comes first
  };
  const std::vector<Step>& steps() const { return steps_; }
  uint32_t depth() const { return depth_; }  // of the deepest, and one more

  // That the calls of a step are in, and of those further out none is.
  std::span<const uint32_t> groups(size_t step) const {
    const uint32_t begin = step == 0 ? 0 : steps_[step - 1].groups_end;
    return {groups_.data() + begin, groups_.data() + steps_[step].groups_end};
  }
  // Whose stacks end there.
  std::span<const uint32_t> accounts(size_t step) const {
    return order_->accounts({steps_[step].inside.first, steps_[step].own_end});
  }
  const AccountOrder& order() const { return *order_; }
  // Accounts without calls, which are in no group of a step.
  const std::vector<uint32_t>& without_calls() const { return without_calls_; }

 private:
  class Walk;

  std::vector<Step> steps_;
  std::vector<uint32_t> groups_;
  std::shared_ptr<const AccountOrder> order_;
  std::vector<uint32_t> without_calls_;
  uint32_t depth_ = 0;
};

}  // namespace heapledger
