// Pairs the death of every block with its birth. Stamps of different threads can be out of order by
// a little: a birth at an address that is still live waits for the death it came before, and a
// death at an address that is not live waits for its birth; both for a slack of time at most, and
// without holding up anything else. Memory is bounded by live blocks.
//
// The sink has:
//   void born(const LiveBlock&)
//   void died(const LiveBlock&, const Death&)
//   void never_born(uint64_t address, const Death&)   the death of a block nobody saw born
//   void never_died(const LiveBlock&, uint64_t time)  its address was used again without a death
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <unordered_map>

#include "analyzer/live_blocks.h"

namespace heapledger {

struct Death {
  uint64_t time;
  uint32_t thread;
  bool temporary;  // the very next heap operation of the thread that allocated the block
  bool by_resize;
};

// How long a birth waits for a death, and a death for a birth, in time units.
struct Slack {
  uint64_t birth = 0;
  uint64_t death = 0;
};

template <typename Sink>
class Pairing {
 public:
  Pairing(Sink& sink, Slack slack) : sink_(sink), slack_(slack) {}

  LiveBlocks& live() { return live_; }
  const LiveBlocks& live() const { return live_; }

  void birth(const LiveBlock& block) {
    if (waiting_.empty()) [[likely]] {
      if (live_.insert(block)) [[likely]] {
        sink_.born(block);
        return;
      }
    } else {
      give_up_before(block.time);
    }
    late_birth(block);
  }

  void death(uint64_t address, const Death& death) {
    if (waiting_.empty()) [[likely]] {
      if (LiveBlock* block = live_.find(address)) [[likely]] {
        sink_.died(*block, death);
        live_.erase(block);
        return;
      }
    } else {
      give_up_before(death.time);
    }
    late_death(address, death);
  }

  // Nothing more will come.
  void finish() {
    while (!births_.empty()) give_up_first(births_);
    while (!deaths_.empty()) give_up_first(deaths_);
  }

 private:
  // A hostile file could have everything happen at one instant.
  static constexpr size_t kMaxWaiting = 32768;

  struct Event {
    uint64_t id;
    bool is_birth;
    bool overdue;
    LiveBlock block;  // of a birth
    Death death;      // of a death
  };
  struct Arrival {
    uint64_t id;
    uint64_t time;
    uint64_t address;
  };
  using Events = std::deque<Event>;      // at one address, in the order of arrival
  using Arrivals = std::deque<Arrival>;  // at any address, in the order of arrival

  void late_birth(const LiveBlock& block) {
    auto found = waiting_.find(block.address);
    if (found != waiting_.end() && !found->second.front().is_birth &&
        found->second.front().death.thread == block.thread) {
      // A thread's own events are in order: this birth is not the one that death waits for.
      found->second.front().overdue = true;
      settle(block.address);
      found = waiting_.find(block.address);
    }
    bool in_turn = found == waiting_.end() || !found->second.front().is_birth;
    if (in_turn && live_.insert(block)) {
      sink_.born(block);
      settle(block.address);
    } else {
      wait(births_, block.address, block.time, {next_id_, true, false, block, {}});
    }
  }

  void late_death(uint64_t address, const Death& death) {
    auto found = waiting_.find(address);
    bool in_turn = found == waiting_.end() || (found->second.front().is_birth &&
                                               found->second.front().block.thread != death.thread);
    LiveBlock* block = in_turn ? live_.find(address) : nullptr;
    if (block == nullptr) {
      wait(deaths_, address, death.time, {next_id_, false, false, {}, death});
      return;
    }
    sink_.died(*block, death);
    live_.erase(block);
    settle(address);
  }

  void wait(Arrivals& arrivals, uint64_t address, uint64_t time, const Event& event) {
    waiting_[address].push_back(event);
    arrivals.push_back({next_id_++, time, address});
    if (arrivals.size() > kMaxWaiting) give_up_first(arrivals);
  }

  // Lets happen, at one address and in turn, what has become possible or can wait no longer.
  void settle(uint64_t address) {
    auto found = waiting_.find(address);
    if (found == waiting_.end()) return;
    Events& events = found->second;
    while (!events.empty()) {
      Event& event = events.front();
      LiveBlock* block = live_.find(address);
      bool possible = event.is_birth == (block == nullptr);
      if (!possible && !event.overdue) return;
      if (event.is_birth) {
        if (block != nullptr) {
          sink_.never_died(*block, event.block.time);
          live_.erase(block);
        }
        live_.insert(event.block);
        sink_.born(event.block);
      } else if (block != nullptr) {
        sink_.died(*block, event.death);
        live_.erase(block);
      } else {
        sink_.never_born(address, event.death);
      }
      events.pop_front();
    }
    waiting_.erase(found);
  }

  void give_up_before(uint64_t now) {
    auto overdue = [now](const Arrivals& arrivals, uint64_t slack) {
      return !arrivals.empty() && now > slack && arrivals.front().time < now - slack;
    };
    while (overdue(births_, slack_.birth)) give_up_first(births_);
    while (overdue(deaths_, slack_.death)) give_up_first(deaths_);
  }

  void give_up_first(Arrivals& arrivals) {
    Arrival arrival = arrivals.front();
    arrivals.pop_front();
    auto found = waiting_.find(arrival.address);
    if (found == waiting_.end()) return;
    Events& events = found->second;
    auto event = std::lower_bound(events.begin(), events.end(), arrival.id,
                                  [](const Event& e, uint64_t id) { return e.id < id; });
    if (event == events.end() || event->id != arrival.id) return;  // it has happened
    event->overdue = true;
    settle(arrival.address);
  }

  Sink& sink_;
  Slack slack_;
  LiveBlocks live_;
  std::unordered_map<uint64_t, Events> waiting_;
  Arrivals births_;
  Arrivals deaths_;
  uint64_t next_id_ = 0;
};

}  // namespace heapledger
