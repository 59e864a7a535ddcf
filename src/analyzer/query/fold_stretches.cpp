// Fold: rows from sums that are there already (stretch_sums.h). What decides which groups come
// first is looked at for all of them, the rest only for those that are shown.
#include <algorithm>
#include <utility>

#include "analyzer/query/fold.h"

namespace heapledger {

OrderedGroups::OrderedGroups(std::shared_ptr<const Grouping> groups,
                             std::shared_ptr<const AccountOrder> in_order)
    : grouping_(std::move(groups)), order_(std::move(in_order)) {
  self_.reserve(order_->accounts().size());
  for (uint32_t account : order_->accounts()) self_.push_back(grouping_->self[account]);
}

// A step that has nothing has nothing inside either.
std::vector<uint32_t> OrderedGroups::steps_of(const StretchSums& sums) const {
  std::vector<uint32_t> found;
  if (grouping_->plan == nullptr) return found;
  const std::vector<FoldPlan::Step>& steps = grouping_->plan->steps();
  for (auto step = steps.begin(); step != steps.end();) {
    const AccountStretch inside = step->inside;
    if (sums.count(inside) > 0) {
      found.push_back(static_cast<uint32_t>(step - steps.begin()));
      ++step;
      continue;
    }
    step = std::partition_point(step + 1, steps.end(), [inside](const FoldPlan::Step& next) {
      return next.inside.first < inside.end;
    });
  }
  return found;
}

template <typename Use>
void OrderedGroups::for_each(const StretchSums& sums, const std::vector<uint32_t>& steps,
                             const Use& use) const {
  auto use_single = [&](uint32_t place) {
    const AccountStretch single{place, place + 1};
    if (self_[place] != Grouping::kNone && sums.count(single) > 0) use(self_[place], single);
  };
  if (grouping_->plan == nullptr) {
    for (const AccountStretch& run : sums.runs()) {
      for (uint32_t place = run.first; place < run.end; ++place) use_single(place);
    }
    return;
  }
  const FoldPlan& plan = *grouping_->plan;
  for (uint32_t account : plan.without_calls()) use_single(order_->places()[account]);
  for (const uint32_t step : steps) {
    for (uint32_t group : plan.groups(step)) use(group, plan.steps()[step].inside);
  }
}

const PackedRows<Cell>& OrderedGroups::whole(const StretchSums& of_all) const {
  std::call_once(once_, [&] {
    std::vector<Cell> cells(grouping_->groups.size());
    for_each(of_all, steps_of(of_all),
             [&](uint32_t group, AccountStretch stretch) { cells[group].add(of_all.of(stretch)); });
    for (Cell& cell : cells) {
      cell.live_bytes = cell.live_blocks = 0;
      whole_.add(cell);
    }
    whole_.finish();
  });
  return whole_;
}

void Fold::groups_as_rows(Answer& answer, const OrderedGroups& groups, const StretchSums& sums,
                          const StackNames& names) {
  const Grouping& grouping = groups.grouping();
  struct Known {
    uint64_t value = 0;
    uint64_t is_there = 0;
  };
  std::vector<Known> known(grouping.groups.size());
  const std::vector<uint32_t> steps = groups.steps_of(sums);
  // What is selected has to be added up anew, what is of all is known but for what is live.
  const PackedRows<Cell>* whole = sums.are_all() ? &groups.whole(sums) : nullptr;
  if (whole != nullptr && !sums.is_by_live()) {
    for (size_t i = 0; i < known.size(); ++i) {
      const Cell cell = (*whole)[i];
      known[i] = {cell.*row_of(question_.sort).sum, cell.empty() ? uint64_t{0} : 1};
    }
  } else {
    groups.for_each(sums, steps, [&](uint32_t group, AccountStretch stretch) {
      known[group].value += sums.value(stretch);
      known[group].is_there = 1;
    });
  }
  // Among equals it is bytes that decide, of those that may be shown at all.
  std::vector<uint64_t> values;
  for (const Known& one : known) {
    if (one.is_there != 0) values.push_back(one.value);
  }
  answer.groups = values.size();
  uint64_t least = 0;
  if (question_.top < values.size() && question_.top > 0) {
    const auto last = values.begin() + static_cast<long>(question_.top - 1);
    std::nth_element(values.begin(), last, values.end(), std::greater<>());
    least = *last;
  }
  std::vector<uint32_t> places(known.size(), Grouping::kNone);
  std::vector<Place> first;
  for (uint32_t i = 0; i < known.size(); ++i) {
    if (known[i].is_there == 0 || known[i].value < least) continue;
    places[i] = static_cast<uint32_t>(first.size());
    first.push_back({known[i].value, 0, i});
  }
  auto for_each_shown = [&](auto&& use) {
    groups.for_each(sums, steps, [&](uint32_t group, AccountStretch stretch) {
      if (places[group] != Grouping::kNone) use(places[group], stretch);
    });
  };
  if (whole != nullptr) {
    for (Place& place : first) place.then = (*whole)[place.group].bytes;
  } else {
    for_each_shown(
        [&](uint32_t at, AccountStretch stretch) { first[at].then += sums.bytes(stretch); });
  }
  const size_t top = put_in_order(grouping, first);
  std::fill(places.begin(), places.end(), Grouping::kNone);
  for (uint32_t i = 0; i < top; ++i) places[first[i].group] = i;

  std::vector<FoldedGroup> folded(top);
  // As Fold::sort_value() has it.
  const bool by_value = question_.sort == Measure::kLiveBytes ||
                        question_.sort == Measure::kTemporaryCalls ||
                        question_.sort == Measure::kCalls;
  std::vector<uint64_t> most(top);
  for (const AccountStretch& run : sums.runs()) {
    for (uint32_t place = run.first; place < run.end; ++place) {
      const uint32_t group = groups.self()[place];
      if (group == Grouping::kNone || places[group] == Grouping::kNone) continue;
      const AccountStretch single{place, place + 1};
      if (sums.count(single) == 0) continue;
      const uint32_t at = places[group];
      FoldedGroup& own = folded[at];
      own.self.add(sums.of(single));
      const uint64_t value = by_value ? sums.value(single) : sums.bytes(single);
      const uint32_t account = groups.order().accounts()[place];
      const bool is_first = ++own.stacks == 1;
      if (is_first || value > most[at] || (value == most[at] && account < own.largest)) {
        own.largest = account;
        most[at] = value;
      }
    }
  }
  const bool overlap = grouping.plan != nullptr;
  if (overlap && whole != nullptr) {
    for (size_t i = 0; i < top; ++i) folded[i].all = (*whole)[first[i].group];
    for_each_shown([&](uint32_t at, AccountStretch stretch) {
      const StretchSums::Live live = sums.live(stretch);
      folded[at].all.live_bytes += live.bytes;
      folded[at].all.live_blocks += live.blocks;
    });
  } else if (overlap) {
    for_each_shown(
        [&](uint32_t at, AccountStretch stretch) { folded[at].all.add(sums.of(stretch)); });
  }
  for (uint32_t i = 0; i < top; ++i) {
    Row row = row_of_group(grouping, first[i].group, folded[i], names);
    row.self = figures(folded[i].self, nullptr, nullptr);
    row.all = overlap ? figures(folded[i].all, nullptr, nullptr) : row.self;
    answer.rows.push_back(std::move(row));
  }
}

}  // namespace heapledger
