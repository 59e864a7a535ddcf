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

template <typename Use>
void OrderedGroups::for_each(const StretchSums& sums, const Use& use) const {
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
  for (size_t step = 0; step < plan.steps().size(); ++step) {
    const AccountStretch inside = plan.steps()[step].inside;
    if (sums.count(inside) == 0) continue;
    for (uint32_t group : plan.groups(step)) use(group, inside);
  }
}

void Fold::groups_as_rows(Answer& answer, const OrderedGroups& groups, const StretchSums& sums,
                          const StackNames& names) {
  const Grouping& grouping = groups.grouping();
  struct Known {
    uint64_t value = 0;
    uint64_t is_there = 0;
  };
  std::vector<Known> known(grouping.groups.size());
  groups.for_each(sums, [&](uint32_t group, AccountStretch stretch) {
    known[group].value += sums.value(stretch);
    known[group].is_there = 1;
  });
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
    groups.for_each(sums, [&](uint32_t group, AccountStretch stretch) {
      if (places[group] != Grouping::kNone) use(places[group], stretch);
    });
  };
  for_each_shown(
      [&](uint32_t at, AccountStretch stretch) { first[at].then += sums.bytes(stretch); });
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
  if (overlap) {
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
