#include "analyzer/query/fold_plan.h"

#include <algorithm>
#include <utility>

namespace heapledger {

// Depth first, from the outermost calls inwards.
class FoldPlan::Walk {
 public:
  Walk(FoldPlan& plan, const CallTree& calls, StackNames& names,
       const std::vector<uint32_t>& group_of_frame)
      : plan_(plan),
        order_(*plan.order_),
        calls_(calls),
        names_(names),
        group_of_frame_(group_of_frame),
        inside_(calls.size()) {
    for (uint32_t site = 1; site < calls.size(); ++site) {
      if (leads_somewhere(site)) ++inside_[names.catalog().parent_of(site)];
    }
    uint32_t groups = 0;
    for (uint32_t group : group_of_frame_) {
      if (group != kNone) groups = std::max(groups, group + 1);
    }
    is_open_.assign(groups, 0);
  }

  void run() {
    enter(SiteCatalog::kRoot);
    while (!open_.empty()) {
      Open& open = open_.back();
      const std::span<const uint32_t> inside = calls_.inside(open.site);
      while (open.next < inside.size() && !leads_somewhere(inside[open.next])) ++open.next;
      if (open.next < inside.size()) {
        enter(inside[open.next++]);
      } else {
        leave();
      }
    }
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  struct Open {
    uint32_t site;
    uint32_t next;    // of those inside
    size_t first_of;  // its groups begin there
    bool is_step;
  };

  bool leads_somewhere(uint32_t site) const { return !order_.inside(site).empty(); }

  // A call that only leads to another one has what that one has.
  void enter(uint32_t site) {
    const AccountStretch own = order_.at(site);
    const bool is_step = inside_[site] != 1 || !own.empty() || site == SiteCatalog::kRoot;
    open_.push_back({site, 0, opened_.size(), is_step});
    const StackNames::Range frames = names_.frames_at(site);
    for (uint32_t i = 0; i < frames.count; ++i) {
      const uint32_t group = group_of_frame_[frames.first + i];
      if (is_open_[group] != 0) continue;  // recursion: it has all of this further out
      is_open_[group] = 1;
      opened_.push_back(group);
      plan_.groups_.push_back(group);
    }
    if (!is_step) return;
    plan_.steps_.push_back(
        {depth_++, static_cast<uint32_t>(plan_.groups_.size()), order_.inside(site), own.end});
    plan_.depth_ = std::max(plan_.depth_, depth_ + 1);
  }

  void leave() {
    const Open& done = open_.back();
    for (size_t i = done.first_of; i < opened_.size(); ++i) is_open_[opened_[i]] = 0;
    opened_.resize(done.first_of);
    if (done.is_step) --depth_;
    open_.pop_back();
  }

  FoldPlan& plan_;
  const AccountOrder& order_;
  const CallTree& calls_;
  StackNames& names_;
  const std::vector<uint32_t>& group_of_frame_;
  std::vector<uint32_t> inside_;  // by site: how many of them lead somewhere
  std::vector<char> is_open_;     // by group: it is on the way to here
  std::vector<uint32_t> opened_;  // these, as they were met
  std::vector<Open> open_;
  uint32_t depth_ = 0;
};

FoldPlan::FoldPlan(const CallTree& calls, const std::vector<uint32_t>& sites, StackNames& names,
                   const std::vector<uint32_t>& group_of_frame,
                   std::shared_ptr<const AccountOrder> order)
    : order_(std::move(order)) {
  for (uint32_t account = 0; account < sites.size(); ++account) {
    if (names.frames_at(sites[account]).count == 0) without_calls_.push_back(account);
  }
  Walk(*this, calls, names, group_of_frame).run();
  steps_.shrink_to_fit();
  groups_.shrink_to_fit();
}

}  // namespace heapledger
