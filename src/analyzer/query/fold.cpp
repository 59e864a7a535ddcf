#include "analyzer/query/fold.h"

#include <algorithm>
#include <numeric>

#include "analyzer/query/fold_plan.h"

namespace heapledger {
namespace {

bool counts(const std::vector<char>& selected, uint32_t account) {
  return selected.empty() || (account < selected.size() && selected[account] != 0);
}

void describe_group(const GroupInfo& group, const StackNames& names, Row& row) {
  row.name = names.text(group.name);
  if (group.frame == UINT32_MAX) return;
  NamedFrame frame = names.named(group.frame);
  row.function = frame.function;
  row.file = frame.file;
  row.line = frame.line;
  row.module = frame.module;
}

void describe_part(const Grouping::PartInfo& part, const StackNames& names, Row& row) {
  for (size_t i = 1; i < part.path.size(); ++i) {
    row.callers.emplace_back(names.text(names.frame(part.path[i]).name));
  }
  if (part.owner == UINT32_MAX) return;
  NamedFrame owner = names.named(part.owner);
  row.owner = {std::move(owner.name), std::move(owner.file), owner.line, part.owned};
}

// To `all` of the groups. `added` says by account which cells count.
void add_up(const Grouping& grouping, const Paged<Cell>& cells, const std::vector<char>& added,
            std::vector<FoldedGroup>& folded) {
  const FoldPlan& plan = *grouping.plan;
  for (uint32_t account : plan.without_calls()) {
    if (added[account] != 0) folded[grouping.self[account]].all.add(cells[account]);
  }
  struct Sum {
    Cell cell;
    bool has_some = false;

    void add(const Cell& other) {
      if (has_some) {
        cell.add(other);
      } else {
        cell = other;
      }
      has_some = true;
    }
  };
  // By depth: what is inside the step that is next there.
  std::vector<Sum> inside(plan.depth() + 1);
  for (size_t step = plan.steps().size(); step-- > 0;) {
    const uint32_t depth = plan.steps()[step].depth;
    Sum& sum = inside[depth + 1];
    for (uint32_t account : plan.accounts(step)) {
      if (added[account] != 0) sum.add(cells[account]);
    }
    if (!sum.has_some) continue;
    for (uint32_t group : plan.groups(step)) folded[group].all.add(sum.cell);
    inside[depth].add(sum.cell);
    sum.has_some = false;
  }
}

}  // namespace

Figures Fold::figures(const Cell& cell, const Extras* extras, const PeakCell* peak) const {
  Figures figures;
  static_cast<Sums&>(figures) = static_cast<const Sums&>(cell);
  figures.smallest = cell.smallest <= cell.largest ? cell.smallest : 0;  // else of none it is known
  figures.largest = cell.largest;
  figures.calls_error = standard_error(cell.calls_variance);
  figures.bytes_error = standard_error(cell.bytes_variance);
  figures.live_error = standard_error(cell.live_variance);
  figures.has_time = tallied_.has_time;
  figures.time_ns = cell.time_ns;
  if (peak != nullptr) {
    figures.has_peak = true;
    figures.peak_bytes = peak->peak_bytes;
    figures.peak_blocks = peak->peak_blocks;
    figures.peak_error = standard_error(peak->peak_variance);
    figures.peak_time_ns = peak->peak_bytes > 0 ? set_.since_start(peak->peak) : 0;
  }
  if (extras == nullptr) return figures;
  figures.has_lifetimes = question_.wanted.lifetimes;
  figures.has_sizes = question_.wanted.sizes;
  figures.has_threads = question_.wanted.threads;
  figures.lifetimes = extras->lifetimes;
  figures.common_sizes = extras->sizes.sorted();
  figures.allocating_threads = extras->allocating;
  figures.freeing_threads = extras->freeing;
  return figures;
}

// Of what adds up no figures are made.
uint64_t Fold::value(const Cell& cell, const Extras* extras, const PeakCell* peak) const {
  const FigureRow& row = row_of(question_.sort);
  return row.sum != nullptr ? cell.*row.sum : value_of(figures(cell, extras, peak), question_.sort);
}

void Fold::totals(Answer& answer, const Cell& sum) {
  answer.totals = figures(sum, nullptr, tallied_.has_total_peak ? &tallied_.total_peak : nullptr);
}

void Fold::totals(Answer& answer, const std::vector<char>& selected) {
  Cell sum;
  Extras extras;
  for (uint32_t i = 0; i < tallied_.cells.size(); ++i) {
    if (!counts(selected, i)) continue;
    sum.add(tallied_.cells[i]);
    if (i < tallied_.extras.size()) extras.add(tallied_.extras[i]);
  }
  answer.totals = figures(sum, tallied_.extras.size() > 0 ? &extras : nullptr,
                          tallied_.has_total_peak ? &tallied_.total_peak : nullptr);
}

void Fold::cells_as_rows(Answer& answer,
                         const std::function<void(uint32_t cell, Row& row)>& describe) {
  std::vector<Place> order;
  auto peak_of = [&](uint32_t cell) {
    return cell < tallied_.cell_peaks.size() ? &tallied_.cell_peaks[cell] : nullptr;
  };
  auto extras_of = [&](uint32_t cell) {
    return cell < tallied_.extras.size() ? &tallied_.extras[cell] : nullptr;
  };
  for (uint32_t i = 0; i < tallied_.cells.size(); ++i) {
    const Cell& cell = tallied_.cells[i];
    if (cell.empty()) continue;
    order.push_back({value(cell, extras_of(i), peak_of(i)), cell.bytes, i});
  }
  const size_t top = put_in_order({}, order);
  answer.groups = order.size();
  answer.rows.reserve(top);
  for (size_t i = 0; i < top; ++i) {
    uint32_t cell = order[i].group;
    Row& row = answer.rows.emplace_back();
    row.all = figures(tallied_.cells[cell], extras_of(cell), peak_of(cell));
    row.self = row.all;
    describe(cell, row);
  }
}

// How many of them are shown, which come first.
size_t Fold::put_in_order(const Grouping& grouping, std::vector<Place>& order) const {
  // What no part has comes last, however much it is.
  const size_t rest = grouping.parts.empty() ? SIZE_MAX : grouping.groups.size() - 1;
  const size_t top = rest != SIZE_MAX ? order.size() : std::min(question_.top, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<long>(top), order.end(),
                    [rest](const Place& a, const Place& b) {
                      if ((a.group == rest) != (b.group == rest)) return b.group == rest;
                      if (a.value != b.value) return a.value > b.value;
                      return a.then != b.then ? a.then > b.then : a.group < b.group;
                    });
  return top;
}

// All but its figures.
Row Fold::row_of_group(const Grouping& grouping, uint32_t group, const FoldedGroup& folded,
                       const StackNames& names) const {
  Row row;
  describe_group(grouping.groups[group], names, row);
  if (question_.by == GroupBy::kOwner || !grouping.parts.empty()) {
    row.stacks = folded.stacks;
    row.site = folded.largest;
  }
  if (grouping.parts.empty()) return row;
  describe_part(grouping.parts[group], names, row);
  row.is_rest = group == grouping.groups.size() - 1;
  return row;
}

uint64_t Fold::sort_value(uint32_t account) const {
  const Cell& cell = tallied_.cells[account];
  switch (question_.sort) {
    case Measure::kLiveBytes:
      return cell.live_bytes;
    case Measure::kTemporaryCalls:
      return cell.temporary_calls;
    case Measure::kCalls:
      return cell.calls;
    default:
      return cell.bytes;
  }
}

void FoldedGroup::add_stack(uint32_t account, const Cell& cell, uint64_t value) {
  self.add(cell);
  if (++stacks > 1 && value <= largest_value) return;
  largest = account;
  largest_value = value;
}

std::vector<FoldedGroup> Fold::fold_apart(const Grouping& grouping,
                                          const std::vector<char>& selected,
                                          const std::vector<uint32_t>& places, size_t count) const {
  std::vector<FoldedGroup> folded(count);
  for (uint32_t account = 0; account < grouping.self.size(); ++account) {
    const uint32_t group = grouping.self[account];
    if (group == Grouping::kNone || places[group] == Grouping::kNone) continue;
    if (account >= tallied_.cells.size() || !counts(selected, account)) continue;
    const Cell& cell = tallied_.cells[account];
    if (!cell.empty()) folded[places[group]].add_stack(account, cell, sort_value(account));
  }
  for (FoldedGroup& group : folded) group.all = group.self;
  return folded;
}

std::vector<FoldedGroup> Fold::fold(const Grouping& grouping,
                                    const std::vector<char>& selected) const {
  std::vector<FoldedGroup> folded(grouping.groups.size());
  std::vector<uint32_t> groups;
  const bool at_once = grouping.plan != nullptr;
  std::vector<char> added(at_once ? grouping.self.size() : 0);
  for (uint32_t account = 0; account < grouping.self.size(); ++account) {
    if (account >= tallied_.cells.size() || !counts(selected, account)) continue;
    const Cell& cell = tallied_.cells[account];
    if (cell.empty() || grouping.self[account] == Grouping::kNone) continue;
    FoldedGroup& own = folded[grouping.self[account]];
    if (grouping.is_early(account)) {
      own.all.add(cell);
      continue;
    }
    own.add_stack(account, cell, sort_value(account));
    if (grouping.is_tree) continue;
    if (at_once) {
      added[account] = 1;
      continue;
    }
    grouping.find(account, groups);
    for (uint32_t group : groups) folded[group].all.add(cell);
  }
  if (at_once) add_up(grouping, tallied_.cells, added, folded);
  if (!grouping.is_tree) return folded;
  // Parents come before their children: what is inside is complete when its turn comes.
  for (size_t group = folded.size(); group-- > 0;) {
    folded[group].all.add(folded[group].self);
    if (group > 0) folded[grouping.groups[group].parent].all.add(folded[group].all);
  }
  return folded;
}

// Only for the groups that are shown: `places` has their place among them, or kNone.
std::vector<Extras> Fold::fold_extras(const Grouping& grouping, const std::vector<char>& selected,
                                      const std::vector<uint32_t>& places, size_t count,
                                      bool self) const {
  std::vector<Extras> folded(tallied_.extras.size() > 0 ? count : 0);
  if (folded.empty()) return folded;
  auto add = [&](uint32_t group, uint32_t account) {
    if (group != Grouping::kNone && places[group] != Grouping::kNone) {
      folded[places[group]].add(tallied_.extras[account]);
    }
  };
  std::vector<uint32_t> groups;
  for (uint32_t account = 0; account < grouping.self.size(); ++account) {
    if (account >= tallied_.extras.size() || !counts(selected, account)) continue;
    if (self) {
      if (!grouping.is_early(account)) add(grouping.self[account], account);
      continue;
    }
    grouping.find(account, groups);
    for (uint32_t group : groups) add(group, account);
  }
  return folded;
}

// Where every account has one group, and what groups are sorted by adds up: all of them take much
// memory, and few are shown.
std::vector<Fold::Place> Fold::rank_groups_apart(const Grouping& grouping,
                                                 const std::vector<char>& selected) const {
  std::vector<Place> all(grouping.groups.size());
  for (uint32_t account = 0; account < grouping.self.size(); ++account) {
    if (account >= tallied_.cells.size() || !counts(selected, account)) continue;
    const Cell& cell = tallied_.cells[account];
    if (cell.empty() || grouping.self[account] == Grouping::kNone) continue;
    Place& ranked = all[grouping.self[account]];
    ranked.group = grouping.self[account];
    ranked.value += value_of(cell, question_.sort);
    ranked.then += cell.bytes;
  }
  std::erase_if(all, [](const Place& one) { return one.group == Grouping::kNone; });
  return all;
}

void Fold::groups_as_rows(Answer& answer, const Grouping& grouping,
                          const std::vector<char>& selected, const StackNames& names) {
  const bool apart = grouping.plan == nullptr && !grouping.add_groups && adds_up(question_.sort);
  std::vector<FoldedGroup> folded;
  if (!apart) folded = fold(grouping, selected);
  auto peak_of = [&](uint32_t group) {
    return group < tallied_.group_peaks.size() ? &tallied_.group_peaks[group] : nullptr;
  };
  // Lifetimes are needed for all groups when they decide which ones are shown.
  bool by_lifetime =
      question_.sort == Measure::kMedianLifetime || question_.sort == Measure::kMeanLifetime;
  std::vector<uint32_t> places(grouping.groups.size());
  std::iota(places.begin(), places.end(), 0u);
  std::vector<Extras> all_extras;
  if (by_lifetime) all_extras = fold_extras(grouping, selected, places, folded.size(), false);

  std::vector<Place> order;
  if (apart) order = rank_groups_apart(grouping, selected);
  for (uint32_t i = 0; i < folded.size(); ++i) {
    const Cell& all = folded[i].all;
    if (all.empty()) continue;
    const Extras* extras = all_extras.empty() ? nullptr : &all_extras[i];
    order.push_back({value(all, extras, peak_of(i)), all.bytes, i});
  }
  const size_t top = put_in_order(grouping, order);
  answer.groups = order.size();
  std::fill(places.begin(), places.end(), Grouping::kNone);
  for (uint32_t i = 0; i < top; ++i) places[order[i].group] = i;
  if (apart) folded = fold_apart(grouping, selected, places, top);
  std::vector<Extras> extras = fold_extras(grouping, selected, places, top, false);
  std::vector<Extras> self_extras = fold_extras(grouping, selected, places, top, true);
  for (uint32_t i = 0; i < top; ++i) {
    const uint32_t group = order[i].group;
    const FoldedGroup& its = folded[apart ? i : group];
    Row row = row_of_group(grouping, group, its, names);
    row.all = figures(its.all, extras.empty() ? nullptr : &extras[i], peak_of(group));
    row.self = figures(its.self, self_extras.empty() ? nullptr : &self_extras[i], nullptr);
    answer.rows.push_back(std::move(row));
  }
}

void Fold::groups_as_tree(Answer& answer, const Grouping& grouping,
                          const std::vector<char>& selected, const StackNames& names) {
  answer.cut_sites = static_cast<uint64_t>(
      std::count_if(grouping.cut.begin(), grouping.cut.end(), [&](uint32_t account) {
        return account < tallied_.cells.size() && !tallied_.cells[account].empty() &&
               counts(selected, account);
      }));
  tree_of_groups(answer, grouping, selected, fold(grouping, selected), names);
}

void Fold::groups_as_tree(Answer& answer, const SummedTree& tree, const StackNames& names) {
  answer.cut_sites = tree.cut_sites;
  tree_of_groups(answer, tree.grouping, {}, tree.folded, names);
}

void Fold::tree_of_groups(Answer& answer, const Grouping& grouping,
                          const std::vector<char>& selected, const std::vector<FoldedGroup>& folded,
                          const StackNames& names) {
  auto peak_of = [&](uint32_t group) {
    return group < tallied_.group_peaks.size() ? &tallied_.group_peaks[group] : nullptr;
  };
  auto value_at = [&](uint32_t group) { return value(folded[group].all, nullptr, peak_of(group)); };
  double least = question_.least_share * static_cast<double>(value_at(0));
  std::vector<uint32_t> places(folded.size(), Grouping::kNone);
  std::vector<uint32_t> shown;  // groups, parents first
  std::vector<uint32_t> hidden = grouping.hidden;
  hidden.resize(folded.size());
  for (uint32_t group = 0; group < folded.size(); ++group) {
    if (folded[group].all.empty() && group != 0) continue;
    uint32_t parent = grouping.groups[group].parent;
    if (group != 0 && places[parent] == Grouping::kNone) continue;
    if (group != 0 && static_cast<double>(value_at(group)) < least) {
      ++hidden[parent];
      continue;
    }
    places[group] = static_cast<uint32_t>(shown.size());
    shown.push_back(group);
  }
  answer.groups = shown.size();
  for (uint32_t group : shown) answer.groups += hidden[group];
  std::vector<Extras> extras = fold_extras(grouping, selected, places, shown.size(), false);
  std::vector<Extras> self_extras = fold_extras(grouping, selected, places, shown.size(), true);
  for (uint32_t i = 0; i < shown.size(); ++i) {
    uint32_t group = shown[i];
    Row row;
    describe_group(grouping.groups[group], names, row);
    TreeNode node;
    node.name = std::move(row.name);
    node.file = std::move(row.file);
    node.line = row.line;
    node.module = std::move(row.module);
    node.hidden = hidden[group];
    node.all = figures(folded[group].all, extras.empty() ? nullptr : &extras[i], peak_of(group));
    node.self =
        figures(folded[group].self, self_extras.empty() ? nullptr : &self_extras[i], nullptr);
    if (group != 0) {
      node.parent = places[grouping.groups[group].parent];
      node.depth = answer.tree[node.parent].depth + 1;
      answer.tree[node.parent].children.push_back(i);
    }
    answer.tree.push_back(std::move(node));
  }
  for (TreeNode& node : answer.tree) {
    std::stable_sort(node.children.begin(), node.children.end(), [&](uint32_t a, uint32_t b) {
      return value_at(shown[a]) > value_at(shown[b]);
    });
  }
}

}  // namespace heapledger
