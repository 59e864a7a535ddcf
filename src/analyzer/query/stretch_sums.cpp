#include "analyzer/query/stretch_sums.h"

#include <algorithm>

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

Extremes::Extremes(std::vector<Pair> sizes) {
  levels_.push_back(std::move(sizes));
  while (levels_.back().size() > 1) {
    const std::vector<Pair>& below = levels_.back();
    std::vector<Pair> level((below.size() + kFan - 1) / kFan);
    for (size_t i = 0; i < below.size(); ++i) level[i / kFan].add(below[i]);
    levels_.push_back(std::move(level));
  }
}

Extremes::Pair Extremes::of(AccountStretch stretch) const {
  Pair all;
  auto [first, end] = stretch;
  for (const std::vector<Pair>& level : levels_) {
    while (first < end && first % kFan != 0) all.add(level[first++]);
    while (first < end && end % kFan != 0) all.add(level[--end]);
    if (first == end) break;
    first /= kFan;
    end /= kFan;
  }
  return all;
}

// --- of the whole recording ---

WholeSums::WholeSums(const Accounts& accounts, const AccountOrder& order) {
  const auto places = static_cast<uint32_t>(order.accounts().size());
  std::vector<Extremes::Pair> sizes(places);
  counts_.resize(places + 1);
  Sums all;
  auto sums_at = [&](uint32_t place) {
    const uint32_t id = order.accounts()[place];
    const bool is_there = id < accounts.size() && !accounts.is_merged(id);
    return is_there ? accounts.at(id).sums() : Sums{};
  };
  for (uint32_t place = 0; place < places; ++place) {
    const uint32_t id = order.accounts()[place];
    const Sums sums = sums_at(place);
    if (id < accounts.size() && !accounts.is_merged(id)) {
      const Account& account = accounts.at(id);
      sizes[place] = {account.smallest(), account.largest()};
      are_all_ = are_all_ && !has_estimates(account);
    }
    const bool has_blocks = sums.calls > 0 || sums.ended_blocks > 0 || sums.ended_bytes > 0;
    are_all_ = are_all_ && (has_blocks || sums == Sums{});
    counts_[place + 1] = counts_[place] + (has_blocks ? 1 : 0);
    all.add(sums);
  }
  for (const FigureRow& row : figure_catalog()) {
    if (is_sum_of_all(row) && all.*row.sum != 0) columns_.push_back(row.sum);
  }
  table_.resize((places + size_t{1}) * columns_.size());
  uint64_t* to = table_.data() + columns_.size();
  for (uint32_t place = 0; place < places; ++place) {
    const Sums sums = sums_at(place);
    for (uint64_t Sums::*column : columns_) {
      *to = *(to - columns_.size()) + sums.*column;
      ++to;
    }
  }
  sizes_ = Extremes(std::move(sizes));
}

WholeSums::Column WholeSums::column(uint64_t Sums::*sum) const {
  const auto found = std::find(columns_.begin(), columns_.end(), sum);
  if (found == columns_.end()) return {};
  return {table_.data() + (found - columns_.begin()), columns_.size()};
}

Sums WholeSums::of(AccountStretch stretch) const {
  Sums sums;
  const uint64_t* first = table_.data() + stretch.first * columns_.size();
  const uint64_t* end = table_.data() + stretch.end * columns_.size();
  for (uint64_t Sums::*column : columns_) sums.*column = *end++ - *first++;
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

  bytes_ = select_column(whole.column(&Sums::bytes), own_bytes_);
  if (sort == Measure::kLiveBytes) {
    by_ = By::kLiveBytes;
  } else if (sort == Measure::kLiveBlocks) {
    by_ = By::kLiveBlocks;
  } else {
    values_ = select_column(whole.column(row_of(sort).sum), own_values_);
  }
}

void StretchSums::select(const std::vector<char>& selected, const AccountOrder& order) {
  const std::vector<uint32_t>& counts = whole_.counts();
  counts_ = counts.data();
  if (selected.empty()) {
    runs_.push_back({0, whole_.places()});
    return;
  }
  own_counts_.reserve(counts.size());
  run_after_.reserve(counts.size());
  own_counts_.push_back(0);
  for (uint32_t place = 0; place < whole_.places(); ++place) {
    const uint32_t account = order.accounts()[place];
    const bool has = account < selected.size() && selected[account] != 0;
    own_counts_.push_back(own_counts_.back() + (has ? counts[place + 1] - counts[place] : 0));
    if (has) {
      if (runs_.empty() || runs_.back().end != place) runs_.push_back({place, place});
      ++runs_.back().end;
    }
    run_after_.push_back(static_cast<uint32_t>(runs_.size()) - (has ? 1 : 0));
  }
  run_after_.push_back(static_cast<uint32_t>(runs_.size()));
  counts_ = own_counts_.data();
  Sums before;
  std::vector<Extremes::Pair> sizes;
  for (const AccountStretch& run : runs_) {
    before_runs_.push_back(before);
    before.add(whole_.of(run));
    sizes.push_back(whole_.sizes().of(run));
  }
  of_runs_ = Extremes(std::move(sizes));
}

WholeSums::Column StretchSums::select_column(WholeSums::Column whole,
                                             std::vector<uint64_t>& own) const {
  if (whole.first == nullptr || own_counts_.empty()) return whole;
  own.reserve(own_counts_.size());
  uint64_t before = 0;
  for (const AccountStretch& run : runs_) {
    own.resize(run.first, before);
    const uint64_t less = whole.at(run.first) - before;
    for (uint32_t place = run.first; place < run.end; ++place) {
      own.push_back(whole.at(place) - less);
    }
    before = whole.at(run.end) - less;
  }
  own.resize(own_counts_.size(), before);
  return {own.data(), 1};
}

Sums StretchSums::up_to(uint32_t place) const {
  const size_t run = run_after_[place];
  if (run == runs_.size()) {
    if (runs_.empty()) return {};
    Sums all = before_runs_.back();
    all.add(whole_.of(runs_.back()));
    return all;
  }
  Sums sums = before_runs_[run];
  if (runs_[run].first < place) sums.add(whole_.of({runs_[run].first, place}));
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
  if (own_counts_.empty()) {
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
