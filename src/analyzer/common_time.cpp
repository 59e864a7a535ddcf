#include "analyzer/common_time.h"

#include <algorithm>
#include <queue>
#include <tuple>

namespace heapledger {
namespace {

struct Turn {
  uint64_t wall_ns;
  size_t number;

  friend bool operator>(const Turn& a, const Turn& b) {
    return std::tie(a.wall_ns, a.number) > std::tie(b.wall_ns, b.number);
  }
};

Turn next_turn(const Replay& replay, size_t number) {
  return {replay.clock().wall_ns(replay.next_time()), number};
}

}  // namespace

void run_in_common_time(const std::vector<Replay*>& replays,
                        const std::function<void(size_t)>& ended) {
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
  for (size_t i = 0; i < replays.size(); ++i) turns.push(next_turn(*replays[i], i));
  while (!turns.empty()) {
    size_t number = turns.top().number;
    turns.pop();
    Replay& replay = *replays[number];
    uint64_t limit = UINT64_MAX;
    if (!turns.empty()) {
      uint64_t until = replay.clock().units_at_wall(turns.top().wall_ns);
      limit = std::max(until, replay.next_time());
    }
    replay.run(limit);
    if (replay.finished()) {
      ended(number);
    } else {
      turns.push(next_turn(replay, number));
    }
  }
}

}  // namespace heapledger
