#include "analyzer/query/parts.h"

#include <algorithm>
#include <unordered_map>

namespace heapledger {
namespace {

// Of the whole: what a part has to have …
constexpr double kLeastShare = 0.015;
// … and what a call has to have to be looked at at all.
constexpr double kLeastLook = 0.0005;
// Of a part: where one branch has so much of it, it does not branch there.
constexpr double kNoBranch = 0.85;
constexpr size_t kMostParts = 40;

// A call on the way in: a site, and which of the functions that are inlined there, the outermost
// last.
struct Call {
  uint32_t site;
  uint32_t frame;
};

// All calls of one function from the same callers.
struct Branch {
  std::vector<Call> calls;
  std::vector<uint32_t> path;  // frames: its own, then its callers', the nearest first
  uint64_t total = 0;
};

struct Part {
  Branch branch;
  uint64_t left = 0;  // of its total: what other parts have not
  bool splits = true;
};

// What each site leads to. Only those that have something worth a look are kept.
class Weights {
 public:
  Weights(const SiteCatalog& catalog, const std::vector<uint32_t>& sites,
          const std::function<uint64_t(uint32_t)>& weight)
      : totals_(catalog.size()) {
    for (uint32_t account = 0; account < sites.size(); ++account) {
      totals_[sites[account]] += weight(account);
    }
    // Parents have lower numbers.
    for (uint32_t site = catalog.size(); site-- > 1;) {
      totals_[catalog.parent_of(site)] += totals_[site];
    }
    const auto least = static_cast<uint64_t>(kLeastLook * static_cast<double>(whole()));
    for (uint32_t site = 1; site < catalog.size(); ++site) {
      if (totals_[site] > least) inner_.emplace_back(catalog.parent_of(site), site);
    }
    std::sort(inner_.begin(), inner_.end());
  }

  uint64_t whole() const { return totals_[SiteCatalog::kRoot]; }
  uint64_t of(uint32_t site) const { return totals_[site]; }

  template <typename Use>
  void for_each_inside(uint32_t site, const Use& use) const {
    auto at = std::lower_bound(inner_.begin(), inner_.end(), std::pair(site, 0u));
    for (; at != inner_.end() && at->first == site; ++at) use(at->second);
  }

 private:
  std::vector<uint64_t> totals_;
  std::vector<std::pair<uint32_t, uint32_t>> inner_;  // a site and one that is a call further in
};

class PartFinder {
 public:
  PartFinder(size_t most, const std::vector<uint32_t>& sites, StackNames& names,
             const std::function<uint64_t(uint32_t)>& weight)
      : most_(std::clamp<size_t>(most, 1, kMostParts)),
        names_(names),
        weights_(names.catalog(), sites, weight),
        least_(static_cast<uint64_t>(kLeastShare * static_cast<double>(weights_.whole()))) {}

  void find() {
    Branch whole;
    whole.calls.push_back({SiteCatalog::kRoot, 0});
    whole.total = weights_.whole();
    parts_.push_back({std::move(whole), weights_.whole(), weights_.whole() > 0});
    for (;;) {
      size_t largest = 0;
      for (size_t i = 0; i < parts_.size(); ++i) {
        if (parts_[i].splits && (!parts_[largest].splits || parts_[i].left > parts_[largest].left))
          largest = i;
      }
      // The whole is none of the parts that are wanted.
      if (!parts_[largest].splits || parts_.size() > most_) return;
      split(largest);
    }
  }

  Grouping grouping(const std::vector<uint32_t>& sites) const {
    const std::vector<uint32_t> of_site = parts_of_sites();
    Grouping out;
    std::vector<uint32_t> group_of(parts_.size(), Grouping::kNone);
    for (size_t i = 1; i < parts_.size(); ++i) {
      if (parts_[i].left < least_ || parts_[i].left == 0) continue;
      group_of[i] = static_cast<uint32_t>(out.groups.size());
      const std::vector<uint32_t>& path = parts_[i].branch.path;
      out.groups.push_back({names_.frame(path.front()).name, path.front(), 0});
      out.parts.push_back({path});
    }
    const auto rest = static_cast<uint32_t>(out.groups.size());
    out.groups.push_back({names_.intern("[other parts]"), UINT32_MAX, 0});
    out.parts.emplace_back();
    for (uint32_t site : sites) {
      const uint32_t group = group_of[of_site[site]];
      out.self.push_back(group == Grouping::kNone ? rest : group);
    }
    return out;
  }

 private:
  // The branches inside one, by the names of their functions, the largest first.
  std::vector<Branch> branches_of(const Branch& outside) {
    std::vector<Branch> found;
    std::unordered_map<uint32_t, size_t> place_of_name;
    std::vector<Call> open = outside.calls;
    auto take = [&](Call call) {
      const FrameInfo& frame = names_.frame(names_.frames_at(call.site).first + call.frame);
      if (!StackNames::is_interesting(frame) || is_among(frame.name, outside.path)) {
        open.push_back(call);
        return;
      }
      auto [place, is_new] = place_of_name.try_emplace(frame.name, found.size());
      if (is_new) {
        found.emplace_back().path.push_back(names_.frames_at(call.site).first + call.frame);
        found.back().path.insert(found.back().path.end(), outside.path.begin(), outside.path.end());
      }
      Branch& branch = found[place->second];
      branch.calls.push_back(call);
      branch.total += weights_.of(call.site);
    };
    while (!open.empty()) {
      const Call call = open.back();
      open.pop_back();
      if (call.frame > 0) {
        take({call.site, call.frame - 1});
        continue;
      }
      weights_.for_each_inside(call.site, [&](uint32_t site) {
        const uint32_t frames = names_.frames_at(site).count;
        if (frames > 0) take({site, frames - 1});
      });
    }
    std::sort(found.begin(), found.end(), [](const Branch& a, const Branch& b) {
      return a.total != b.total ? a.total > b.total : a.calls[0].site < b.calls[0].site;
    });
    return found;
  }

  bool is_among(uint32_t name, const std::vector<uint32_t>& path) const {
    return std::any_of(path.begin(), path.end(),
                       [&](uint32_t frame) { return names_.frame(frame).name == name; });
  }

  bool is_worth_seeing(const Branch& branch) const {
    return branch.total >= least_ && branch.total > 0;
  }

  // Whether all that is worth seeing goes the first way. What goes other ways stays with a part;
  // but the whole is none.
  bool goes_one_way(size_t number, const std::vector<Branch>& branches) const {
    if (branches.empty() || !is_worth_seeing(branches[0])) return false;
    if (number == kWhole) return branches.size() == 1 || !is_worth_seeing(branches[1]);
    const auto total = static_cast<double>(parts_[number].branch.total);
    return static_cast<double>(branches[0].total) > kNoBranch * total;
  }

  // Follows the part inwards to where it branches, and makes parts of the branches worth seeing.
  void split(size_t number) {
    parts_[number].splits = false;
    std::vector<Branch> branches = branches_of(parts_[number].branch);
    Branch only;
    while (goes_one_way(number, branches)) {
      only = std::move(branches[0]);
      branches = branches_of(only);
    }
    // A program that never branches is the one way that it goes.
    const bool has_branches = !branches.empty() && is_worth_seeing(branches[0]);
    if (!has_branches && number == kWhole && only.total > 0) add_part(number, std::move(only));
    for (Branch& branch : branches) {
      if (!is_worth_seeing(branch) || parts_.size() > most_) break;
      add_part(number, std::move(branch));
    }
  }

  void add_part(size_t outside, Branch branch) {
    const uint64_t total = branch.total;
    parts_[outside].left -= total;
    parts_.push_back({std::move(branch), total, total >= 2 * least_});
  }

  // A part that came later is inside those that were there before it.
  std::vector<uint32_t> parts_of_sites() const {
    const SiteCatalog& catalog = names_.catalog();
    std::vector<uint32_t> of_site(catalog.size());
    for (uint32_t i = 1; i < parts_.size(); ++i) {
      for (Call call : parts_[i].branch.calls) of_site[call.site] = i;
    }
    for (uint32_t site = 1; site < catalog.size(); ++site) {
      if (of_site[site] == 0) of_site[site] = of_site[catalog.parent_of(site)];
    }
    return of_site;
  }

  static constexpr size_t kWhole = 0;  // the first of the parts

  size_t most_;
  StackNames& names_;
  Weights weights_;
  uint64_t least_;
  std::vector<Part> parts_;
};

// Who has most of each part; of the rest nobody is to be named.
void find_owners(Grouping& grouping, const std::vector<uint32_t>& sites, StackNames& names,
                 const std::function<uint64_t(uint32_t)>& weight) {
  struct NamedLine {
    uint32_t group;
    uint32_t name;
    uint32_t line;
    bool operator==(const NamedLine&) const = default;
  };
  struct NamedLineHash {
    size_t operator()(const NamedLine& at) const {
      const uint64_t mixed =
          (uint64_t{at.name} << 32 | at.line) + uint64_t{at.group} * 0x632BE5ABull;
      return static_cast<size_t>(mixed * 0x9E3779B97F4A7C15ull >> 16);
    }
  };
  struct Owned {
    uint32_t frame;
    uint64_t amount;
  };
  std::unordered_map<NamedLine, Owned, NamedLineHash> owned;
  for (uint32_t account = 0; account < sites.size(); ++account) {
    const uint64_t amount = weight(account);
    if (amount == 0 || grouping.self[account] + 1 == grouping.groups.size()) continue;
    const uint32_t frame = names.blamed(sites[account]);
    if (frame == StackNames::kNoFrame) continue;
    const FrameInfo& blamed = names.frame(frame);
    Owned& its =
        owned.try_emplace({grouping.self[account], blamed.name, blamed.line}, Owned{frame, 0})
            .first->second;
    its.amount += amount;
    Grouping::PartInfo& part = grouping.parts[grouping.self[account]];
    if (its.amount > part.owned || (its.frame == part.owner)) {
      part.owner = its.frame;
      part.owned = its.amount;
    }
  }
}

}  // namespace

Grouping group_parts(size_t most, const std::vector<uint32_t>& sites, StackNames& names,
                     const std::function<uint64_t(uint32_t account)>& weight) {
  PartFinder finder(most, sites, names, weight);
  finder.find();
  Grouping grouping = finder.grouping(sites);
  find_owners(grouping, sites, names, weight);
  return grouping;
}

}  // namespace heapledger
