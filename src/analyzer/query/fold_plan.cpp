#include "analyzer/query/fold_plan.h"

#include <algorithm>

namespace heapledger {

// Depth first, from the outermost calls inwards.
class FoldPlan::Walk {
 public:
  Walk(FoldPlan& plan, const CallTree& calls, StackNames& names,
       const std::vector<uint32_t>& group_of_frame)
      : plan_(plan),
        calls_(calls),
        names_(names),
        group_of_frame_(group_of_frame),
        inside_(calls.size()),
        leads_somewhere_(calls.size()),
        first_account_(calls.size(), kNone) {}

  void add(const std::vector<uint32_t>& sites) {
    next_account_.assign(sites.size(), kNone);
    for (auto account = static_cast<uint32_t>(sites.size()); account-- > 0;) {
      const uint32_t site = sites[account];
      if (names_.frames_at(site).count == 0) {
        plan_.without_calls_.push_back(account);
        continue;
      }
      next_account_[account] = first_account_[site];
      first_account_[site] = account;
      lead_to(site);
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
      while (open.next < inside.size() && leads_somewhere_[inside[open.next]] == 0) ++open.next;
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

  void lead_to(uint32_t site) {
    const SiteCatalog& catalog = names_.catalog();
    while (leads_somewhere_[site] == 0) {
      leads_somewhere_[site] = 1;
      if (site == SiteCatalog::kRoot) return;
      site = catalog.parent_of(site);
      ++inside_[site];
    }
  }

  // A call that only leads to another one has what that one has.
  void enter(uint32_t site) {
    const bool is_step =
        inside_[site] != 1 || first_account_[site] != kNone || site == SiteCatalog::kRoot;
    open_.push_back({site, 0, opened_.size(), is_step});
    const StackNames::Range frames = names_.frames_at(site);
    for (uint32_t i = 0; i < frames.count; ++i) {
      const uint32_t group = group_of_frame_[frames.first + i];
      if (is_open_[group] != 0) continue;  // recursion: it has all of this further out
      is_open_[group] = 1;
      opened_.push_back(group);
      plan_.groups_.push_back(group);
    }
    if (is_step) add_step(site);
  }

  void add_step(uint32_t site) {
    for (uint32_t at = first_account_[site]; at != kNone; at = next_account_[at]) {
      plan_.accounts_.push_back(at);
    }
    plan_.steps_.push_back({depth_++, static_cast<uint32_t>(plan_.groups_.size()),
                            static_cast<uint32_t>(plan_.accounts_.size())});
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
  const CallTree& calls_;
  StackNames& names_;
  const std::vector<uint32_t>& group_of_frame_;
  std::vector<uint32_t> inside_;         // by site: how many of them lead somewhere
  std::vector<char> leads_somewhere_;    // by site
  std::vector<uint32_t> first_account_;  // by site: in a list …
  std::vector<uint32_t> next_account_;   // … by account
  std::vector<char> is_open_;            // by group: it is on the way to here
  std::vector<uint32_t> opened_;         // these, as they were met
  std::vector<Open> open_;
  uint32_t depth_ = 0;
};

FoldPlan::FoldPlan(const CallTree& calls, const std::vector<uint32_t>& sites, StackNames& names,
                   const std::vector<uint32_t>& group_of_frame) {
  Walk walk(*this, calls, names, group_of_frame);
  walk.add(sites);
  walk.run();
}

}  // namespace heapledger
