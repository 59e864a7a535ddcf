// The way from the outermost calls inwards, for trees that are grown (tree_growth.h): what is
// inside of a call, what it leads to, and where in the tree the stacks of accounts end.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "analyzer/query/call_tree.h"
#include "analyzer/query/question.h"
#include "analyzer/query/stack_names.h"
#include "analyzer/query/stretch_sums.h"
#include "analyzer/query/text_matcher.h"
#include "analyzer/query/tree_growth.h"

namespace heapledger {

// A call: a site, and which of the functions that are inlined there, the outermost last.
struct CallPlace {
  uint32_t site = 0;
  uint32_t frame = 0;
  uint32_t account = 0;  // on the way outwards
};

// Where in the tree a stack ends.
enum class StackEnd : uint8_t {
  kUnknown,
  kHere,   // at a node of its own
  kSmall,  // further in, where nothing is worth showing
  kCut,    // further in, where there is no room
};

struct TreeEnd {
  uint32_t node = Grouping::kNone;
  StackEnd end = StackEnd::kUnknown;
};

using AccountValue = std::function<std::optional<uint64_t>(uint32_t)>;

// What every site leads to, by a sweep over all of them; and where its accounts end.
class SweptTotals {
 public:
  SweptTotals(const SiteCatalog& catalog, const std::vector<uint32_t>& sites, const CallTree& calls,
              bool has_root, const AccountValue& value)
      : catalog_(catalog),
        sites_(sites),
        totals_(calls.size()),
        counts_(calls.size()),
        ends_(calls.size()) {
    for (uint32_t account = 0; account < sites.size(); ++account) {
      const std::optional<uint64_t> has = value(account);
      if (!has || sites[account] == SiteCatalog::kRoot) continue;
      totals_[sites[account]] += *has;
      counts_[sites[account]] = 1;
    }
    // Parents have lower numbers.
    for (uint32_t site = calls.size(); site-- > 1;) {
      if (counts_[site] == 0) continue;
      const uint32_t parent = catalog.parent_of(site);
      totals_[parent] += totals_[site];
      counts_[parent] = 1;
    }
    if (has_root) ends_[SiteCatalog::kRoot] = {0, StackEnd::kHere};
  }

  uint64_t total(uint32_t site) const { return totals_[site]; }
  bool has_any(uint32_t site) const { return counts_[site] != 0; }

  void end_at(const CallPlace& place, TreeEnd end, bool) { ends_[place.site] = end; }
  void forget_ends() { ends_.assign(ends_.size(), {}); }

  std::vector<TreeEnd> ends() {
    for (uint32_t site = 1; site < ends_.size(); ++site) {
      if (ends_[site].end == StackEnd::kUnknown) ends_[site] = ends_[catalog_.parent_of(site)];
    }
    std::vector<TreeEnd> of_accounts;
    of_accounts.reserve(sites_.size());
    for (uint32_t site : sites_) {
      of_accounts.push_back(site == SiteCatalog::kRoot ? TreeEnd{} : ends_[site]);
    }
    return of_accounts;
  }

 private:
  const SiteCatalog& catalog_;
  const std::vector<uint32_t>& sites_;
  std::vector<uint64_t> totals_;  // by site: of all that it leads to
  std::vector<char> counts_;      // by site: whether that is anything
  std::vector<TreeEnd> ends_;     // by site
};

// The same from sums that are there: nobody has to be asked where each account ends.
class KnownTotals {
 public:
  KnownTotals(StackNames& names, const CallTree& calls, const AccountOrder& order,
              const StretchSums& sums, SummedTree& tree)
      : names_(names), calls_(calls), order_(order), sums_(sums), tree_(tree) {
    const AccountStretch all = order.inside(SiteCatalog::kRoot);
    tree_.folded.resize(1);
    tree_.folded[0].all = sums.of({order.at(SiteCatalog::kRoot).end, all.end});
    end_without_calls(SiteCatalog::kRoot, 0);
  }

  uint64_t total(uint32_t site) const {
    if (site != SiteCatalog::kRoot) return sums_.value(order_.inside(site));
    return sums_.value({order_.at(site).end, order_.inside(site).end});
  }
  bool has_any(uint32_t site) const { return sums_.count(order_.inside(site)) > 0; }

  void end_at(const CallPlace& place, TreeEnd end, bool is_last) {
    if (end.end == StackEnd::kSmall) return;
    if (end.node >= tree_.folded.size()) tree_.folded.resize(end.node + 1);
    FoldedGroup& node = tree_.folded[end.node];
    const AccountStretch inside = order_.inside(place.site);
    if (end.end == StackEnd::kCut) {
      node.self.add(sums_.of(inside));
      tree_.cut_sites += sums_.count(inside);
      return;
    }
    const Cell all = sums_.of(inside);
    node.all.add(all);
    if (is_last) {
      node.self.add(all);
    } else if (place.frame == 0) {
      node.self.add(sums_.of(order_.at(place.site)));
      end_without_calls(place.site, end.node);
    }
  }
  void forget_ends() { tree_.folded.assign(1, {}); }
  std::vector<TreeEnd> ends() const { return {}; }

 private:
  void end_without_calls(uint32_t outside, uint32_t node) {
    for (uint32_t site : calls_.inside(outside)) {
      if (names_.frames_at(site).count > 0) continue;
      tree_.folded[node].self.add(sums_.of(order_.inside(site)));
    }
  }

  StackNames& names_;
  const CallTree& calls_;
  const AccountOrder& order_;
  const StretchSums& sums_;
  SummedTree& tree_;
};

// From the outermost calls inwards. Sites that lead to the same one go on together.
template <typename Totals>
class InwardWalk {
 public:
  InwardWalk(const Question& question, StackNames& names, const CallTree& calls, Totals& totals)
      : of_function_(question.tree == TreeShape::kCalleesOf),
        names_(names),
        calls_(calls),
        below_(question.below, names),
        of_(question.function, names),
        totals_(totals) {}

  template <typename Use>
  void for_each_first(const Use& use) {
    if (!of_function_) {
      for_each_inside(SiteCatalog::kRoot, use);
      return;
    }
    std::vector<CallPlace> open;
    auto look = [&](const CallPlace& place, uint32_t name, uint64_t value) {
      if (of_.matches(name)) {
        use(place, name, value);
      } else if (!below_.matches(name)) {
        open.push_back(place);
      }
    };
    for_each_inside(SiteCatalog::kRoot, look);
    while (!open.empty()) {
      const CallPlace place = open.back();
      open.pop_back();
      for_each_next(place, look);
    }
  }

  template <typename Use>
  void for_each_next(const CallPlace& place, const Use& use) {
    if (place.frame > 0) {
      emit({place.site, place.frame - 1}, use);
    } else {
      for_each_inside(place.site, use);
    }
  }

  // Of all that is in the tree, when `firsts` is what is so by its calls.
  uint64_t whole(uint64_t firsts) const {
    return of_function_ ? firsts : totals_.total(SiteCatalog::kRoot);
  }

  // Frames inside such a function count as its own.
  bool is_last(uint32_t name) { return below_.matches(name); }

  void end_at(const CallPlace& place, TreeEnd end) {
    totals_.end_at(place, end, below_.has_patterns() && is_last(name_of(place)));
  }
  void forget_ends() { totals_.forget_ends(); }
  std::vector<TreeEnd> ends() { return totals_.ends(); }

 private:
  template <typename Use>
  void for_each_inside(uint32_t outside, const Use& use) {
    for (uint32_t site : calls_.inside(outside)) {
      if (!totals_.has_any(site)) continue;
      const uint32_t frames = names_.frames_at(site).count;
      if (frames > 0) emit({site, frames - 1}, use);
    }
  }

  uint32_t name_of(const CallPlace& place) {
    return names_.frame(names_.frames_at(place.site).first + place.frame).name;
  }

  template <typename Use>
  void emit(CallPlace place, const Use& use) {
    use(place, name_of(place), totals_.total(place.site));
  }

  bool of_function_;
  StackNames& names_;
  const CallTree& calls_;
  TextMatcher below_;
  TextMatcher of_;
  Totals& totals_;
};

}  // namespace heapledger
