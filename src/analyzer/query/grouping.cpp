#include "analyzer/query/grouping.h"

#include <algorithm>
#include <memory>
#include <unordered_map>

#include "analyzer/error.h"
#include "analyzer/query/text_matcher.h"

namespace heapledger {
namespace {

// The path of a module, or its last part, may fit.
bool module_fits(const std::vector<std::string>& patterns, std::string_view path) {
  size_t slash = path.rfind('/');
  std::string_view base = slash == std::string_view::npos ? path : path.substr(slash + 1);
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return matches(pattern, path) || matches(pattern, base);
  });
}

class Grouper {
 public:
  Grouper(const Question& question, StackNames& names)
      : question_(question),
        names_(names),
        below_(question.below, names),
        of_(question.function, names) {}

  Grouping group(const std::vector<uint32_t>& sites, const std::vector<uint32_t>& order) {
    if (is_tree()) out_.groups.push_back({names_.intern("all"), UINT32_MAX, 0});
    out_.is_tree = is_tree();
    out_.self.assign(sites.size(), Grouping::kNone);
    for (size_t i = 0; i < sites.size(); ++i) {
      size_t account = order.empty() ? i : order[i];
      if (sites[account] == SiteCatalog::kRoot) continue;
      if (question_.by == GroupBy::kOwner && !is_tree()) {
        out_.self[account] = group_of_owner(sites[account]);
        continue;
      }
      if (has_all_frames()) {
        out_.self[account] = add_groups_of(sites[account]);
        continue;
      }
      read_stack(sites[account]);
      cut_ = false;
      out_.self[account] = is_tree() ? place_in_tree() : add_groups();
      if (cut_) out_.cut.push_back(static_cast<uint32_t>(account));
    }
    group_of_name_ = {};  // what is kept of this is for append_groups()
    seen_ = {};
    children_ = {};
    group_of_frame_.shrink_to_fit();
    out_.groups.shrink_to_fit();
    return std::move(out_);
  }

  // Every frame of every stack has its group.
  bool has_all_frames() const {
    return !is_tree() && question_.by != GroupBy::kOwner && !below_.has_patterns();
  }

  const std::vector<uint32_t>& groups_of_frames() const { return group_of_frame_; }

  // Of one stack, in no order, some twice.
  void append_groups(uint32_t site, std::vector<uint32_t>& groups) {
    if (site == SiteCatalog::kRoot) return;
    read_stack(site);
    if (stack_.empty()) groups.push_back(no_stack_);
    for (uint32_t frame : stack_) groups.push_back(group_of_frame_[frame]);
  }

 private:
  bool is_tree() const { return question_.tree != TreeShape::kNone; }

  void read_stack(uint32_t site) {
    names_.stack(site, stack_);
    cut_below(stack_);
  }

  // What the outermost function that fits has inside is its own.
  void cut_below(std::vector<uint32_t>& stack) {
    if (!below_.has_patterns()) return;
    for (size_t i = stack.size(); i-- > 0;) {
      if (!below_.matches(names_.frame(stack[i]).name)) continue;
      stack.erase(stack.begin(), stack.begin() + static_cast<long>(i));
      return;
    }
  }

  size_t self_place(const std::vector<uint32_t>& stack) const {
    return question_.skip_wrappers ? names_.first_interesting(stack) : 0;
  }

  // What the group of a frame is called.
  uint32_t name_of_group(const FrameInfo& frame) {
    switch (question_.by) {
      case GroupBy::kFile:
        return frame.file != 0 ? frame.file : names_.intern("[" + module_name(frame) + "]");
      case GroupBy::kLine:
        if (frame.file == 0 || frame.line == 0) return frame.name;
        return names_.intern(std::string(names_.text(frame.file)) + ":" +
                             std::to_string(frame.line));
      case GroupBy::kModule:
        return names_.intern(module_name(frame));
      case GroupBy::kOwner:
        if (frame.file == 0 || frame.line == 0) return frame.name;
        return names_.intern(std::string(names_.text(frame.name)) + " " +
                             std::string(names_.text(frame.file)) + ":" +
                             std::to_string(frame.line));
      default:
        return frame.name;
    }
  }

  std::string module_name(const FrameInfo& frame) const {
    if (frame.module == SiteCatalog::kNoModule) return "no module";
    const std::string& path = names_.catalog().module_at(frame.module).path;
    return path.empty() ? "no name" : path;
  }

  uint32_t group_of(uint32_t frame) {
    if (frame >= group_of_frame_.size()) group_of_frame_.resize(frame + 1, Grouping::kNone);
    if (group_of_frame_[frame] == Grouping::kNone) {
      uint32_t group = named_group(name_of_group(names_.frame(frame)), frame);
      group_of_frame_[frame] = group;
    }
    return group_of_frame_[frame];
  }

  uint32_t named_group(uint32_t name, uint32_t frame) {
    auto [found, is_new] = group_of_name_.try_emplace(name, out_.groups.size());
    if (is_new) out_.groups.push_back({name, frame, 0});
    return static_cast<uint32_t>(found->second);
  }

  // The group that the stack itself is in.
  uint32_t add_groups() {
    if (stack_.empty()) return group_without_stack();
    for (uint32_t frame : stack_) group_of(frame);
    return group_of(stack_[self_place(stack_)]);
  }

  // The same without reading what other stacks had before.
  uint32_t add_groups_of(uint32_t site) {
    const SiteCatalog& catalog = names_.catalog();
    const StackNames::Range innermost = names_.frames_at(site);
    if (innermost.count == 0) return group_without_stack();
    seen_.resize(catalog.size());
    for (uint32_t at = site; catalog.has_frame(at) && seen_[at] == 0; at = catalog.parent_of(at)) {
      seen_[at] = 1;
      const StackNames::Range frames = names_.frames_at(at);
      for (uint32_t i = 0; i < frames.count; ++i) group_of(frames.first + i);
    }
    return group_of(question_.skip_wrappers ? names_.blamed(site) : innermost.first);
  }

  uint32_t group_without_stack() {
    return no_stack_ = named_group(names_.intern("[no stack]"), UINT32_MAX);
  }

  uint32_t group_of_owner(uint32_t site) {
    uint32_t frame = StackNames::kNoFrame;
    if (!below_.has_patterns() && question_.skip_wrappers) {
      frame = names_.blamed(site);
    } else {
      read_stack(site);
      if (!stack_.empty()) frame = stack_[self_place(stack_)];
    }
    return frame == StackNames::kNoFrame ? group_without_stack() : group_of(frame);
  }

  uint32_t child(uint32_t parent, uint32_t frame) {
    uint64_t key = uint64_t{parent} << 32 | names_.frame(frame).name;
    if (out_.groups.size() >= question_.most_nodes) {
      auto known = children_.find(key);
      return known == children_.end() ? Grouping::kNone : known->second;
    }
    auto [found, is_new] = children_.try_emplace(key, static_cast<uint32_t>(out_.groups.size()));
    if (is_new) out_.groups.push_back({names_.frame(frame).name, frame, parent});
    return found->second;
  }

  // The outermost frame that fits question.function; as many as there are frames: none does.
  size_t place_of_function(const std::vector<uint32_t>& stack) {
    for (size_t i = stack.size(); i-- > 0;) {
      if (of_.matches(names_.frame(stack[i]).name)) return i;
    }
    return stack.size();
  }

  // The node that the stack ends at; kNone: it is not part of the tree.
  uint32_t place_in_tree() {
    const std::vector<uint32_t>& stack = stack_;
    bool outwards =
        question_.tree == TreeShape::kBottomUp || question_.tree == TreeShape::kCallersOf;
    size_t inner = 0;             // the frames from here …
    size_t outer = stack.size();  // … to before here
    if (question_.tree == TreeShape::kBottomUp) inner = self_place(stack);
    if (question_.tree == TreeShape::kCallersOf || question_.tree == TreeShape::kCalleesOf) {
      size_t place = place_of_function(stack);
      if (place == stack.size()) return Grouping::kNone;
      (outwards ? inner : outer) = outwards ? place : place + 1;
    }
    auto frame = [&](size_t i) { return outwards ? stack[inner + i] : stack[outer - 1 - i]; };
    uint32_t node = 0;
    const size_t before = question_.path.size();
    if (outer - inner < before) return Grouping::kNone;
    for (size_t i = 0; i < before; ++i) {
      if (names_.text(names_.frame(frame(i)).name) != question_.path[i]) return Grouping::kNone;
    }
    if (before > 0) out_.groups[0] = {names_.frame(frame(before - 1)).name, frame(before - 1), 0};
    for (size_t i = before; i < outer - inner; ++i) {
      uint32_t next = child(node, frame(i));
      cut_ = next == Grouping::kNone;
      if (cut_) break;
      node = next;
    }
    return node;
  }

  const Question question_;  // groups may be kept for longer than whoever asked first
  StackNames& names_;
  TextMatcher below_;
  TextMatcher of_;
  Grouping out_;
  std::vector<uint32_t> stack_;
  std::vector<uint32_t> group_of_frame_;
  std::vector<char> seen_;  // by site: its frames have groups
  uint32_t no_stack_ = 0;
  bool cut_ = false;  // the tree had no room for all of the stack
  std::unordered_map<uint32_t, size_t> group_of_name_;
  std::unordered_map<uint64_t, uint32_t> children_;
};

}  // namespace

std::vector<uint32_t> sites_of_accounts(const SiteCatalog& catalog, uint32_t accounts) {
  std::vector<uint32_t> sites(accounts, SiteCatalog::kRoot);
  for (uint32_t site = 0; site < catalog.size(); ++site) {
    uint32_t account = catalog.account_of(site);
    if (account < accounts) sites[account] = site;
  }
  for (auto [key, account] : catalog.other_accounts()) {
    if (account < accounts) sites[account] = static_cast<uint32_t>(key);
  }
  return sites;
}

std::vector<uint32_t> heaps_of_accounts(const SiteCatalog& catalog, uint32_t accounts) {
  std::vector<uint32_t> heaps(accounts, format::kMallocHeap);
  for (auto [key, account] : catalog.other_accounts()) {
    if (account < accounts) heaps[account] = static_cast<uint32_t>(key >> 32);
  }
  return heaps;
}

std::vector<char> select_stacks(const Filter& filter, const std::vector<uint32_t>& sites,
                                StackNames& names) {
  TextMatcher in(filter.functions.in, names);
  TextMatcher out(filter.functions.out, names);
  const SiteCatalog& catalog = names.catalog();
  std::vector<char> module_in(catalog.module_count());
  std::vector<char> module_out(catalog.module_count());
  for (uint32_t i = 0; i < catalog.module_count(); ++i) {
    if (i == SiteCatalog::kNoModule) continue;
    module_in[i] = module_fits(filter.modules.in, catalog.module_at(i).path) ? 1 : 0;
    module_out[i] = module_fits(filter.modules.out, catalog.module_at(i).path) ? 1 : 0;
  }
  // What some frame of a stack is: as soon as an outer one is, all further in are.
  enum Fits : uint8_t { kFunction = 1, kModule = 2, kExcluded = 4 };
  std::vector<uint8_t> of_frame;
  auto fits_of = [&](uint32_t number) {
    while (of_frame.size() <= number) {
      const FrameInfo& frame = names.frame(static_cast<uint32_t>(of_frame.size()));
      const bool excluded = module_out[frame.module] != 0 || out.matches(frame.name);
      of_frame.push_back(static_cast<uint8_t>((in.matches(frame.name) ? kFunction : 0) |
                                              (module_in[frame.module] != 0 ? kModule : 0) |
                                              (excluded ? kExcluded : 0)));
    }
    return of_frame[number];
  };
  std::vector<uint8_t> of_site(catalog.size());  // parents have lower numbers
  for (uint32_t site = 1; site < catalog.size(); ++site) {
    uint8_t fits = of_site[catalog.parent_of(site)];
    const StackNames::Range frames = names.frames_at(site);
    for (uint32_t i = 0; i < frames.count; ++i) fits |= fits_of(frames.first + i);
    of_site[site] = fits;
  }
  std::vector<char> selected(sites.size());
  for (size_t account = 0; account < sites.size(); ++account) {
    if (sites[account] == SiteCatalog::kRoot) continue;
    const uint8_t fits = of_site[sites[account]];
    const bool in_function = filter.functions.in.empty() || (fits & kFunction) != 0;
    const bool in_module = filter.modules.in.empty() || (fits & kModule) != 0;
    selected[account] = in_function && in_module && (fits & kExcluded) == 0 ? 1 : 0;
  }
  return selected;
}

Grouping group_stacks(const Question& question, const std::vector<uint32_t>& sites,
                      StackNames& names, const CallTree& calls, const std::vector<uint32_t>& order,
                      std::shared_ptr<const AccountOrder> walk) {
  auto grouper = std::make_shared<Grouper>(question, names);
  Grouping grouping = grouper->group(sites, order);
  if (grouping.is_tree) return grouping;
  if (grouper->has_all_frames()) {
    if (walk == nullptr) walk = std::make_shared<const AccountOrder>(names.catalog(), sites);
    grouping.plan = std::make_shared<const FoldPlan>(calls, sites, names,
                                                     grouper->groups_of_frames(), std::move(walk));
  }
  if (question.by == GroupBy::kOwner) return grouping;
  grouping.add_groups = [grouper, &sites](uint32_t account, std::vector<uint32_t>& groups) {
    if (account < sites.size()) grouper->append_groups(sites[account], groups);
  };
  return grouping;
}

void Grouping::find(uint32_t account, std::vector<uint32_t>& found) const {
  found.clear();
  if (account >= self.size() || self[account] == kNone) return;
  if (is_tree) {
    for (uint32_t group = self[account]; group != 0; group = groups[group].parent) {
      found.push_back(group);
    }
    found.push_back(0);
    return;
  }
  if (!add_groups) {
    found.push_back(self[account]);
    return;
  }
  add_groups(account, found);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
}

Members list_members(const Grouping& grouping) {
  constexpr size_t kMost = size_t{100} << 20;
  Members members;
  std::vector<uint32_t> found;
  members.offsets.reserve(grouping.self.size() + 1);
  for (uint32_t account = 0; account < grouping.self.size(); ++account) {
    members.offsets.push_back(static_cast<uint32_t>(members.groups.size()));
    grouping.find(account, found);
    members.groups.insert(members.groups.end(), found.begin(), found.end());
    if (members.groups.size() > kMost) {
      throw Error("there are too many frames for the peaks of single groups; ask without them",
                  ErrorKind::kQuestion);
    }
  }
  members.offsets.push_back(static_cast<uint32_t>(members.groups.size()));
  return members;
}

}  // namespace heapledger
