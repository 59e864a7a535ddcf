// Stretches of addresses, and what is left of some when others are taken away.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace heapledger::cores {

struct Stretch {
  uint64_t start = 0;
  uint64_t end = 0;  // the address behind the last

  bool holds(uint64_t address) const { return start <= address && address < end; }
  bool empty() const { return start >= end; }
};

inline Stretch common(const Stretch& a, const Stretch& b) {
  return {std::max(a.start, b.start), std::min(a.end, b.end)};
}

// By address, without overlaps and empty ones.
inline void put_in_order(std::vector<Stretch>& all) {
  std::sort(all.begin(), all.end(),
            [](const Stretch& a, const Stretch& b) { return a.start < b.start; });
  std::vector<Stretch> joined;
  for (const Stretch& one : all) {
    if (one.empty()) continue;
    if (!joined.empty() && one.start <= joined.back().end) {
      joined.back().end = std::max(joined.back().end, one.end);
    } else {
      joined.push_back(one);
    }
  }
  all = std::move(joined);
}

// What is in `all` and not in `taken`; `taken` is in order.
inline std::vector<Stretch> without(const std::vector<Stretch>& all,
                                    const std::vector<Stretch>& taken) {
  std::vector<Stretch> left;
  for (Stretch one : all) {
    auto next = std::upper_bound(taken.begin(), taken.end(), one.start,
                                 [](uint64_t start, const Stretch& t) { return start < t.end; });
    for (; next != taken.end() && next->start < one.end; ++next) {
      if (one.start < next->start) left.push_back({one.start, next->start});
      one.start = next->end;
    }
    if (!one.empty()) left.push_back(one);
  }
  return left;
}

}  // namespace heapledger::cores
