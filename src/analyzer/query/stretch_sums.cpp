#include "analyzer/query/stretch_sums.h"

#include <algorithm>
#include <limits>

namespace heapledger {
namespace {

bool is_sum_of_all(const FigureRow& row) {
  return row.sum != nullptr && row.sum != &Sums::live_bytes && row.sum != &Sums::live_blocks;
}

bool has_estimates(const Account& account) {
  return account.time_ns != 0 || account.calls_variance != 0 || account.bytes_variance != 0;
}

}  // namespace

// --- extremes ---

template <typename Size>
Extremes::Levels<Size> Extremes::levels_of(const std::vector<Pair>& sizes) {
  constexpr Size kNone = std::numeric_limits<Size>::max();
  Levels<Size> levels(1);
  levels[0].reserve(sizes.size());
  for (const Pair& pair : sizes) {
    levels[0].emplace_back(static_cast<Size>(std::min<uint64_t>(pair.smallest, kNone)),
                           static_cast<Size>(pair.largest));
  }
  while (levels.back().size() > 1) {
    const auto& below = levels.back();
    std::vector<std::pair<Size, Size>> level((below.size() + kFan - 1) / kFan, {kNone, 0});
    for (size_t i = 0; i < below.size(); ++i) {
      auto& [smallest, largest] = level[i / kFan];
      smallest = std::min(smallest, below[i].first);
      largest = std::max(largest, below[i].second);
    }
    levels.push_back(std::move(level));
  }
  return levels;
}

Extremes::Extremes(const std::vector<Pair>& sizes) {
  const bool fit = std::all_of(sizes.begin(), sizes.end(), [](const Pair& pair) {
    return pair.largest < UINT32_MAX && (pair.smallest < UINT32_MAX || pair.smallest == UINT64_MAX);
  });
  if (fit) {
    levels_ = levels_of<uint32_t>(sizes);
  } else {
    large_ = levels_of<uint64_t>(sizes);
  }
}

template <typename Size>
Extremes::Pair Extremes::of(const Levels<Size>& levels, AccountStretch stretch) {
  constexpr Size kNone = std::numeric_limits<Size>::max();
  Size smallest = kNone, largest = 0;
  auto add = [&](const std::pair<Size, Size>& pair) {
    smallest = std::min(smallest, pair.first);
    largest = std::max(largest, pair.second);
  };
  auto [first, end] = stretch;
  for (const auto& level : levels) {
    while (first < end && first % kFan != 0) add(level[first++]);
    while (first < end && end % kFan != 0) add(level[--end]);
    if (first == end) break;
    first /= kFan;
    end /= kFan;
  }
  return {smallest == kNone ? UINT64_MAX : smallest, largest};
}

Extremes::Pair Extremes::of(AccountStretch stretch) const {
  return large_.empty() ? of(levels_, stretch) : of(large_, stretch);
}

// --- of the whole recording ---

WholeSums::WholeSums(const ClosedAccounts& accounts, const AccountOrder& order) {
  const auto places = static_cast<uint32_t>(order.accounts().size());
  std::vector<Extremes::Pair> sizes(places);
  std::vector<Sums> all(places);
  counts_.resize(places + 1);
  for (uint32_t place = 0; place < places; ++place) {
    const uint32_t id = order.accounts()[place];
    if (id < accounts.size() && !accounts.is_merged(id)) {
      const Account account = accounts.at(id);
      all[place] = account.sums();
      sizes[place] = {account.smallest(), account.largest()};
      are_all_ = are_all_ && !has_estimates(account);
    }
    const Sums& sums = all[place];
    const bool has_blocks = sums.calls > 0 || sums.ended_blocks > 0 || sums.ended_bytes > 0;
    are_all_ = are_all_ && (has_blocks || sums == Sums{});
    counts_[place + 1] = counts_[place] + (has_blocks ? 1 : 0);
  }
  find_columns(all);
  add_up(all);
  sizes_ = Extremes(sizes);
}

void WholeSums::find_columns(const std::vector<Sums>& all) {
  for (const FigureRow& row : figure_catalog()) {
    if (!is_sum_of_all(row)) continue;
    const auto has_any = [&row](const Sums& sums) { return sums.*row.sum != 0; };
    if (std::none_of(all.begin(), all.end(), has_any)) continue;
    const auto same = std::find_if(named_.begin(), named_.end(), [&](const Named& known) {
      return std::all_of(all.begin(), all.end(),
                         [&](const Sums& sums) { return sums.*known.sum == sums.*row.sum; });
    });
    named_.push_back({row.sum, same != named_.end() ? same->number : columns_++});
  }
}

void WholeSums::add_up(const std::vector<Sums>& all) {
  std::vector<uint64_t Sums::*> columns(columns_);
  for (const Named& named : named_) columns[named.number] = named.sum;
  std::vector<uint64_t> now(columns_);
  std::vector<uint64_t> rows;  // of a part
  more_.reserve((all.size() + 1) * columns_);
  for (size_t begin = 0; begin <= all.size(); begin += kPlaces) {
    const std::vector<uint64_t> before = now;
    const size_t end = std::min<size_t>(begin + kPlaces, all.size() + 1);
    rows.clear();
    for (size_t place = begin; place < end; ++place) {
      rows.insert(rows.end(), now.begin(), now.end());
      for (size_t i = 0; i < columns_ && place < all.size(); ++i) now[i] += all[place].*columns[i];
    }
    bool fits = true;
    for (size_t i = 0; i < rows.size(); ++i) {
      const uint64_t more = rows[i] - before[i % columns_];
      fits = fits && more <= UINT32_MAX;
      more_.push_back(static_cast<uint32_t>(more));
    }
    begins_.insert(begins_.end(), before.begin(), before.end());
    large_at_.push_back(fits ? kFits : large_.size() / columns_);
    if (!fits) large_.insert(large_.end(), rows.begin(), rows.end());
  }
  large_.shrink_to_fit();
}

WholeSums::Column WholeSums::column(uint64_t Sums::*sum) const {
  const auto found = std::find_if(named_.begin(), named_.end(),
                                  [sum](const Named& named) { return named.sum == sum; });
  return found == named_.end() ? Column{} : Column{this, found->number, sum};
}

Sums WholeSums::of(AccountStretch stretch) const {
  Sums sums;
  for (const auto& [sum, number] : named_) {
    sums.*sum = at(stretch.end, number) - at(stretch.first, number);
  }
  return sums;
}

// --- of what is selected ---

StretchSums::StretchSums(const WholeSums& whole, const AccountOrder& order,
                         const std::vector<char>& selected, std::vector<Live>& live, Measure sort)
    : whole_(whole), live_(live) {
  select(selected, order);
  Live before;
  size_t place = 0;
  for (const AccountStretch& run : runs_) {  // what is outside of them counts nothing
    for (; place < run.first; ++place) live_[place] = before;
    for (; place < run.end; ++place) {
      const Live here = live_[place];
      live_[place] = before;
      before = {before.bytes + here.bytes, before.blocks + here.blocks};
    }
  }
  for (; place < live_.size(); ++place) live_[place] = before;

  bytes_ = whole.column(&Sums::bytes);
  if (sort == Measure::kLiveBytes) {
    by_ = By::kLiveBytes;
  } else if (sort == Measure::kLiveBlocks) {
    by_ = By::kLiveBlocks;
  } else {
    values_ = whole.column(row_of(sort).sum);
  }
}

void StretchSums::select(const std::vector<char>& selected, const AccountOrder& order) {
  if (selected.empty()) {
    runs_.push_back({0, whole_.places()});
    return;
  }
  run_after_.reserve(whole_.places() + size_t{1});
  for (uint32_t place = 0; place < whole_.places(); ++place) {
    const uint32_t account = order.accounts()[place];
    const bool has = account < selected.size() && selected[account] != 0;
    if (has) {
      if (runs_.empty() || runs_.back().end != place) runs_.push_back({place, place});
      ++runs_.back().end;
    }
    run_after_.push_back(static_cast<uint32_t>(runs_.size()) - (has ? 1 : 0));
  }
  run_after_.push_back(static_cast<uint32_t>(runs_.size()));
  Sums before;
  uint32_t count = 0;
  std::vector<Extremes::Pair> sizes;
  for (const AccountStretch& run : runs_) {
    before_runs_.push_back(before);
    counts_before_.push_back(count);
    before.add(whole_.of(run));
    count += whole_.counts()[run.end] - whole_.counts()[run.first];
    sizes.push_back(whole_.sizes().of(run));
  }
  before_runs_.push_back(before);
  counts_before_.push_back(count);
  of_runs_ = Extremes(sizes);
}

Sums StretchSums::up_to(uint32_t place) const {
  const auto [run, part] = up(place);
  Sums sums = before_runs_[run];
  sums.add(whole_.of(part));
  return sums;
}

Extremes::Pair StretchSums::sizes_of(AccountStretch stretch) const {
  Extremes::Pair all;
  const uint32_t first = run_after_[stretch.first], end = run_after_[stretch.end];
  // Those at both sides may be in part.
  auto add_in_part = [&](const AccountStretch& run) {
    const AccountStretch part{std::max(run.first, stretch.first), std::min(run.end, stretch.end)};
    if (part.first < part.end) all.add(whole_.sizes().of(part));
  };
  if (first < runs_.size()) add_in_part(runs_[first]);
  if (end < runs_.size() && end != first) add_in_part(runs_[end]);
  if (first + 1 < end) all.add(of_runs_.of({first + 1, end}));
  return all;
}

Cell StretchSums::of(AccountStretch stretch) const {
  Cell cell;
  if (are_all()) {
    static_cast<Sums&>(cell) = whole_.of(stretch);
    const Extremes::Pair sizes = whole_.sizes().of(stretch);
    cell.smallest = sizes.smallest;
    cell.largest = sizes.largest;
  } else {
    const Sums before = up_to(stretch.first);
    Sums& sums = cell;
    sums = up_to(stretch.end);
    sums.subtract(before);
    const Extremes::Pair sizes = sizes_of(stretch);
    cell.smallest = sizes.smallest;
    cell.largest = sizes.largest;
  }
  cell.live_bytes = live_[stretch.end].bytes - live_[stretch.first].bytes;
  cell.live_blocks = live_[stretch.end].blocks - live_[stretch.first].blocks;
  return cell;
}

}  // namespace heapledger
