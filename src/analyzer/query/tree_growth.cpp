#include "analyzer/query/tree_growth.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "analyzer/query/inward_walk.h"
#include "analyzer/query/text_matcher.h"

namespace heapledger {
namespace {

// From the calls that allocate, or those of a function, outwards. Every account goes its own way.
class OutwardWalk {
 public:
  OutwardWalk(const Question& question, const std::vector<uint32_t>& sites, StackNames& names,
              const AccountValue& value)
      : question_(question),
        sites_(sites),
        names_(names),
        below_(question.below, names),
        of_(question.function, names),
        value_(value),
        ends_(sites.size()) {}

  template <typename Use>
  void for_each_first(const Use& use) {
    values_.assign(sites_.size(), 0);
    for (uint32_t account = 0; account < sites_.size(); ++account) {
      const std::optional<uint64_t> has = value_(account);
      if (!has || sites_[account] == SiteCatalog::kRoot) continue;
      values_[account] = *has;
      const std::optional<CallPlace> first = find_first(account);
      if (first) {
        emit(*first, use);
      } else if (question_.tree == TreeShape::kBottomUp) {
        ends_[account] = {0, StackEnd::kHere};
        without_calls_ += *has;
      }
    }
  }

  template <typename Use>
  void for_each_next(const CallPlace& place, const Use& use) {
    CallPlace next = place;
    if (step(next)) emit(next, use);
  }

  uint64_t whole(uint64_t firsts) const { return firsts + without_calls_; }

  bool is_last(uint32_t) const { return false; }

  void end_at(const CallPlace& place, TreeEnd end) { ends_[place.account] = end; }
  void forget_ends() { ends_.assign(ends_.size(), {}); }

  std::vector<TreeEnd> ends() { return std::move(ends_); }

 private:
  uint32_t number_of(const CallPlace& place) {
    return names_.frames_at(place.site).first + place.frame;
  }

  bool step(CallPlace& place) {
    if (place.frame + 1 < names_.frames_at(place.site).count) {
      ++place.frame;
      return true;
    }
    place.frame = 0;
    do {
      place.site = names_.catalog().parent_of(place.site);
      if (!names_.catalog().has_frame(place.site)) return false;
    } while (names_.frames_at(place.site).count == 0);
    return true;
  }

  std::optional<CallPlace> find_first(uint32_t account) {
    CallPlace place{sites_[account], 0, account};
    if (names_.frames_at(place.site).count == 0) return std::nullopt;
    const bool of_function = question_.tree == TreeShape::kCallersOf;
    if (!of_function && !below_.has_patterns()) {
      if (!question_.skip_wrappers) return place;
      do {
        if (StackNames::is_interesting(names_.frame(number_of(place)))) return place;
      } while (step(place));
    }
    // It takes the whole stack to tell.
    places_.clear();
    stack_.clear();
    place = {sites_[account], 0, account};
    do {
      places_.push_back(place);
      stack_.push_back(number_of(place));
    } while (step(place));
    const size_t begin = outermost(below_).value_or(0);
    if (of_function) {
      const std::optional<size_t> found = outermost(of_);
      return found && *found >= begin ? std::optional(places_[*found]) : std::nullopt;
    }
    const std::span<const uint32_t> left = std::span(stack_).subspan(begin);
    return places_[begin + (question_.skip_wrappers ? names_.first_interesting(left) : 0)];
  }

  std::optional<size_t> outermost(TextMatcher& matcher) {
    for (size_t i = stack_.size(); i-- > 0 && matcher.has_patterns();) {
      if (matcher.matches(names_.frame(stack_[i]).name)) return i;
    }
    return std::nullopt;
  }

  template <typename Use>
  void emit(const CallPlace& place, const Use& use) {
    use(place, names_.frame(number_of(place)).name, values_[place.account]);
  }

  const Question& question_;
  const std::vector<uint32_t>& sites_;
  StackNames& names_;
  TextMatcher below_;
  TextMatcher of_;
  const AccountValue& value_;
  std::vector<uint64_t> values_;  // by account
  std::vector<TreeEnd> ends_;     // by account
  uint64_t without_calls_ = 0;
  std::vector<CallPlace> places_;  // of a whole stack …
  std::vector<uint32_t> stack_;    // … and its frames
};

// What may become a node: all calls of one function from the same callers.
struct TreeBranch {
  uint32_t parent = 0;  // a node
  uint32_t name = 0;
  uint64_t value = 0;
  std::vector<CallPlace> places;
};

template <typename Walk>
class TreeGrowth {
 public:
  TreeGrowth(const Question& question, StackNames& names, Walk& walk)
      : question_(question), names_(names), walk_(walk) {}

  Grouping grow() {
    out_.is_tree = true;
    add_node({names_.intern("all"), UINT32_MAX, 0});
    begin();
    uint64_t firsts = 0;
    walk_.for_each_first([&](const CallPlace& place, uint32_t name, uint64_t value) {
      firsts += value;
      add(place, name, value);
    });
    const uint64_t whole = question_.path.empty() ? walk_.whole(firsts) : follow_path();
    least_ = question_.least_share * static_cast<double>(whole);
    choose(0);
    while (!queue_.empty()) {
      std::pop_heap(queue_.begin(), queue_.end(), Later{&names_});
      const TreeBranch branch = std::move(queue_.back());
      queue_.pop_back();
      if (out_.groups.size() >= question_.most_nodes) {
        end(branch, StackEnd::kCut);
      } else {
        become_node(branch);
      }
    }
    take_ends();
    return std::move(out_);
  }

 private:
  struct Later {
    const StackNames* names;
    bool operator()(const TreeBranch& a, const TreeBranch& b) const {
      if (a.value != b.value) return a.value < b.value;
      if (a.parent != b.parent) return a.parent > b.parent;
      return names->text(a.name) > names->text(b.name);
    }
  };

  void add_node(GroupInfo info) {
    out_.groups.push_back(info);
    out_.hidden.push_back(0);
  }

  void become_node(const TreeBranch& branch) {
    const auto node = static_cast<uint32_t>(out_.groups.size());
    add_node({branch.name, frame_of(branch), branch.parent});
    end_at(branch, {node, StackEnd::kHere});
    find_branches_of(branch);
    choose(node);
  }

  // From the branches of the root to those of the node that the path leads to, which becomes the
  // root; gives what it has.
  uint64_t follow_path() {
    TreeBranch at;
    for (const std::string& name : question_.path) {
      auto is_next = [&](const TreeBranch& branch) { return names_.text(branch.name) == name; };
      const auto next = std::find_if(branches_.begin(), branches_.end(), is_next);
      at = next != branches_.end() ? std::move(*next) : TreeBranch{};
      find_branches_of(at);
    }
    walk_.forget_ends();
    if (at.places.empty()) return 0;
    out_.groups[0] = {at.name, frame_of(at), 0};
    end_at(at, {0, StackEnd::kHere});
    return at.value;
  }

  // --- the branches of one node ---

  void find_branches_of(const TreeBranch& branch) {
    begin();
    if (branch.places.empty() || walk_.is_last(branch.name)) return;
    for (const CallPlace& outside : branch.places) {
      walk_.for_each_next(outside, [&](const CallPlace& place, uint32_t name, uint64_t value) {
        add(place, name, value);
      });
    }
  }

  void begin() {
    for (const TreeBranch& branch : branches_) branch_of_name_[branch.name] = kNotMet;
    branches_.clear();
  }

  void add(const CallPlace& place, uint32_t name, uint64_t value) {
    if (name >= branch_of_name_.size()) branch_of_name_.resize(name + 1, kNotMet);
    uint32_t& number = branch_of_name_[name];
    if (number == kNotMet) {
      number = static_cast<uint32_t>(branches_.size());
      branches_.emplace_back().name = name;
    }
    TreeBranch& branch = branches_[number];
    branch.value += value;
    branch.places.push_back(place);
  }

  void choose(uint32_t parent) {
    for (TreeBranch& branch : branches_) {
      branch.parent = parent;
      if (static_cast<double>(branch.value) >= least_) {
        queue_.push_back(std::move(branch));
        std::push_heap(queue_.begin(), queue_.end(), Later{&names_});
        continue;
      }
      ++out_.hidden[parent];
      end(branch, StackEnd::kSmall);
    }
  }

  void end(const TreeBranch& branch, StackEnd how) { end_at(branch, {branch.parent, how}); }

  void end_at(const TreeBranch& branch, TreeEnd end) {
    for (const CallPlace& place : branch.places) walk_.end_at(place, end);
  }

  // The first in its file, whatever order they were found in.
  uint32_t frame_of(const TreeBranch& branch) {
    const SiteCatalog& catalog = names_.catalog();
    auto key = [&](const CallPlace& place) {
      return std::tuple(catalog.module_of(place.site), catalog.address_of(place.site), place.frame);
    };
    const CallPlace* first = &branch.places.front();
    for (const CallPlace& place : branch.places) {
      if (key(place) < key(*first)) first = &place;
    }
    return names_.frames_at(first->site).first + first->frame;
  }

  void take_ends() {
    const std::vector<TreeEnd> ends = walk_.ends();
    out_.self.reserve(ends.size());
    out_.ends_early.reserve(ends.size());
    for (uint32_t account = 0; account < ends.size(); ++account) {
      out_.self.push_back(ends[account].node);
      out_.ends_early.push_back(ends[account].end == StackEnd::kSmall ? 1 : 0);
      if (ends[account].end == StackEnd::kCut) out_.cut.push_back(account);
    }
  }

  const Question& question_;
  StackNames& names_;
  Walk& walk_;
  Grouping out_;
  double least_ = 0;
  std::vector<TreeBranch> queue_;  // a heap, the largest first
  std::vector<TreeBranch> branches_;
  static constexpr uint32_t kNotMet = UINT32_MAX;
  std::vector<uint32_t> branch_of_name_;  // of branches_
};

}  // namespace

Grouping grow_tree(const Question& question, const std::vector<uint32_t>& sites, StackNames& names,
                   const CallTree& calls, const AccountValue& value) {
  const bool inwards =
      question.tree == TreeShape::kTopDown || question.tree == TreeShape::kCalleesOf;
  if (inwards) {
    const bool has_root = question.tree == TreeShape::kTopDown;
    SweptTotals totals(names.catalog(), sites, calls, has_root, value);
    InwardWalk walk(question, names, calls, totals);
    return TreeGrowth(question, names, walk).grow();
  }
  OutwardWalk walk(question, sites, names, value);
  return TreeGrowth(question, names, walk).grow();
}

SummedTree grow_summed_tree(const Question& question, StackNames& names, const CallTree& calls,
                            const AccountOrder& order, const StretchSums& sums) {
  SummedTree tree;
  KnownTotals totals(names, calls, order, sums, tree);
  InwardWalk walk(question, names, calls, totals);
  tree.grouping = TreeGrowth(question, names, walk).grow();
  tree.folded.resize(tree.grouping.groups.size());
  return tree;
}

}  // namespace heapledger
