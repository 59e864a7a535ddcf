// Advances several scans together, so that what happened at the same time in different processes
// is seen at the same time. Each runs on by itself until another one's turn has come.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <span>
#include <tuple>
#include <vector>

namespace heapledger {

namespace detail {

struct Turn {
  uint64_t wall_ns;
  size_t number;

  friend bool operator>(const Turn& a, const Turn& b) {
    return std::tie(a.wall_ns, a.number) > std::tie(b.wall_ns, b.number);
  }
};

}  // namespace detail

// Scans all of them to their ends. `ended(i)` is called when a scan ends, after which it is not
// touched again; `stop(i)` at each of `stops` (wall clock, ascending): all that is stamped up
// to then has happened and nothing else.
template <typename Scan, typename Ended, typename Stop>
void run_in_common_time(const std::vector<Scan*>& scans, std::span<const uint64_t> stops,
                        Ended&& ended, Stop&& stop) {
  auto next_turn = [&](size_t number) -> detail::Turn {
    return {scans[number]->clock().wall_ns(scans[number]->next_time()), number};
  };
  std::priority_queue<detail::Turn, std::vector<detail::Turn>, std::greater<>> turns;
  for (size_t i = 0; i < scans.size(); ++i) turns.push(next_turn(i));
  size_t stopped = 0;
  while (!turns.empty()) {
    detail::Turn turn = turns.top();
    while (stopped < stops.size() && stops[stopped] < turn.wall_ns) stop(stopped++);
    turns.pop();
    Scan& scan = *scans[turn.number];
    // At one time they come in the order of their numbers, wherever there are stops.
    uint64_t until = UINT64_MAX;
    if (!turns.empty()) {
      const detail::Turn& next = turns.top();
      until = next.number > turn.number ? next.wall_ns : next.wall_ns - 1;
    }
    if (stopped < stops.size()) until = std::min(until, stops[stopped]);
    uint64_t limit = UINT64_MAX;
    if (until != UINT64_MAX) {
      limit = std::max(scan.clock().units_at_wall(until), scan.next_time());
    }
    scan.run(limit);
    if (scan.finished()) {
      ended(turn.number);
    } else {
      turns.push(next_turn(turn.number));
    }
  }
  while (stopped < stops.size()) stop(stopped++);
}

}  // namespace heapledger
