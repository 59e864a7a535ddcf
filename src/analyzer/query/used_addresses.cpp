#include "analyzer/query/used_addresses.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace heapledger {

void UsedAddresses::add(uint64_t address, uint64_t size, uint64_t bytes) {
  if (size == 0) return;
  uint64_t last = address > UINT64_MAX - size ? UINT64_MAX - 1 : address + size - 1;
  uint64_t begin = address & ~(page_ - 1);
  uint64_t end = (last | (page_ - 1)) == UINT64_MAX ? UINT64_MAX : (last | (page_ - 1)) + 1;
  auto after = by_begin_.upper_bound(begin);
  if (after != by_begin_.begin()) {
    UsedRange& range = std::prev(after)->second;
    if (end <= range.end) {
      range.bytes += static_cast<double>(bytes);
      return;
    }
  }
  insert(begin, end, static_cast<double>(bytes));
  if (by_begin_.size() > kMaxRanges) coarsen();
}

// Together with all that it touches.
void UsedAddresses::insert(uint64_t begin, uint64_t end, double bytes) {
  UsedRange joined{begin, end, bytes};
  auto at = by_begin_.upper_bound(begin);
  if (at != by_begin_.begin() && std::prev(at)->second.end >= begin) --at;
  while (at != by_begin_.end() && at->first <= end) {
    joined.begin = std::min(joined.begin, at->second.begin);
    joined.end = std::max(joined.end, at->second.end);
    joined.bytes += at->second.bytes;
    at = by_begin_.erase(at);
  }
  by_begin_.emplace(joined.begin, joined);
}

void UsedAddresses::coarsen() {
  while (by_begin_.size() > kMaxRanges / 2 && page_ < uint64_t{1} << 46) {
    page_ *= 2;
    std::map<uint64_t, UsedRange> old = std::move(by_begin_);
    by_begin_.clear();
    for (const auto& [begin, range] : old) {
      uint64_t last = range.end - 1;
      uint64_t end = (last | (page_ - 1)) == UINT64_MAX ? UINT64_MAX : (last | (page_ - 1)) + 1;
      insert(begin & ~(page_ - 1), end, range.bytes);
    }
  }
}

std::vector<UsedRange> UsedAddresses::ranges() const {
  std::vector<UsedRange> all;
  all.reserve(by_begin_.size());
  for (const auto& [begin, range] : by_begin_) all.push_back(range);
  return all;
}

std::vector<UsedRange> cut_at_wide_gaps(const std::vector<UsedRange>& ranges, size_t most) {
  if (ranges.empty() || most == 0) return {};
  uint64_t used = 0;
  for (const UsedRange& range : ranges) used += range.size();
  uint64_t unused = ranges.back().end - ranges.front().begin - used;
  std::vector<size_t> gaps(ranges.size() - 1);  // after the range of that number
  std::iota(gaps.begin(), gaps.end(), size_t{0});
  auto width = [&ranges](size_t gap) { return ranges[gap + 1].begin - ranges[gap].end; };
  std::stable_sort(gaps.begin(), gaps.end(),
                   [&](size_t a, size_t b) { return width(a) > width(b); });
  std::vector<char> is_cut(ranges.size(), 0);
  for (size_t i = 0; i < gaps.size() && i + 1 < most && unused > used / 4; ++i) {
    is_cut[gaps[i]] = 1;
    unused -= width(gaps[i]);
  }
  std::vector<UsedRange> regions;
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (i == 0 || is_cut[i - 1] != 0) {
      regions.push_back(ranges[i]);
    } else {
      regions.back().end = ranges[i].end;
      regions.back().bytes += ranges[i].bytes;
    }
  }
  return regions;
}

}  // namespace heapledger
