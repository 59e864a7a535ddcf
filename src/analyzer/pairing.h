// Pairs the death of every block with its birth. Stamps of different threads can be out of order by
// a little (a processor may read its clock some hundred nanoseconds too early): a birth at an
// address that is still live waits for the death it came before, and a death at an address that is
// not live waits for its birth; both for a slack of time at most, and without holding up
// anything else. Memory is bounded by live blocks.
//
// The sink has:
//   void born(LiveBlock&)                             may set its flags
//   void died(const LiveBlock&, const Death&)
//   void never_born(uint64_t address, const Death&)   the death of a block nobody saw born
//   void never_died(const LiveBlock&, uint64_t time)  its address was used again without a death
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "analyzer/live_blocks.h"

namespace heapledger {

struct Death {
  uint64_t time;
  uint32_t thread;
  bool temporary;  // the very next heap operation of the thread that allocated the block
  bool by_resize;
};

// A death that Pairing looks back at.
struct RecentDeath {
  uint64_t address = 0;
  uint64_t time = 0;
  uint32_t thread = 0;
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
      if (LiveBlock* placed = live_.place(block)) [[likely]] {
        sink_.born(*placed);
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
        die(block, death);
        return;
      }
    } else {
      give_up_before(death.time);
    }
    late_death(address, death);
  }

  // Whether nothing waits: then the live blocks and the recent deaths are all there is to know.
  bool settled() const { return waiting_.empty(); }

  // The last deaths, the oldest first; and how a pairing that goes on from live blocks learns them.
  std::vector<RecentDeath> recent() const {
    std::vector<RecentDeath> deaths;
    for (size_t i = 0; i < kRecentDeaths; ++i) {
      const RecentDeath& death = recent_[(next_recent_ + i) % kRecentDeaths];
      if (death.address != 0) deaths.push_back(death);
    }
    return deaths;
  }
  void remember(const RecentDeath& death) { recent_[next_recent_++ % kRecentDeaths] = death; }

  // Nothing more will come.
  void finish() {
    while (!births_.empty()) give_up_first(births_);
    while (!deaths_.empty()) give_up_first(deaths_);
  }

 private:
  // A hostile file could have everything happen at one instant.
  static constexpr size_t kMaxWaiting = 32768;
  static constexpr size_t kMaxAtOneAddress = 64;
  static constexpr size_t kRecentDeaths = 32;

  struct Event {
    uint64_t id;
    bool is_birth;
    bool overdue;
    bool may_be_swapped;  // a death: with another thread's, just before
    LiveBlock block;      // of a birth
    Death death;          // of a death
  };
  struct Arrival {
    uint64_t id;
    uint64_t time;
    uint64_t address;
  };
  using Events = std::deque<Event>;      // at one address, in the order of arrival
  using Arrivals = std::deque<Arrival>;  // at any address, in the order of arrival

  void die(LiveBlock* block, const Death& death) {
    recent_[next_recent_++ % kRecentDeaths] = {block->address, death.time, death.thread};
    sink_.died(*block, death);
    live_.erase(block);
  }

  void late_birth(const LiveBlock& block) {
    auto found = waiting_.find(block.address);
    bool in_turn = found == waiting_.end() || awaits(found->second, block.thread);
    LiveBlock* placed = in_turn ? live_.place(block) : nullptr;
    if (placed != nullptr) {
      sink_.born(*placed);
      settle(block.address);
    } else {
      wait(births_, block.address, block.time, {next_id_, true, false, false, block, {}});
    }
  }

  void late_death(uint64_t address, const Death& death) {
    auto found = waiting_.find(address);
    bool in_turn = found == waiting_.end() || !has_event_of(found->second, death.thread);
    LiveBlock* block = in_turn ? live_.find(address) : nullptr;
    if (block != nullptr) {
      die(block, death);
      settle(address);
    } else {
      bool may_be_swapped = died_just_now(address, death);
      wait(deaths_, address, death.time, {next_id_, false, false, may_be_swapped, {}, death});
    }
  }

  // Whether a birth by that thread is what the events at an address wait for.
  static bool awaits(const Events& events, uint32_t thread) {
    const Event& first = events.front();
    return !first.is_birth && (first.may_be_swapped || !has_event_of(events, thread));
  }

  // One thread frees a block and gets its address back at once, and another thread frees that
  // block, too early by its stamp: then the deaths appear one after the other, before the birth.
  // It makes no difference to any sum which of the two blocks we let which of them end.
  bool died_just_now(uint64_t address, const Death& death) const {
    return std::any_of(recent_.begin(), recent_.end(), [&](const RecentDeath& recent) {
      return recent.address == address && recent.thread != death.thread &&
             death.time - recent.time <= slack_.death;
    });
  }

  // A thread's own events are in order: what it does at an address comes after what it did there.
  static bool has_event_of(const Events& events, uint32_t thread) {
    return std::any_of(events.begin(), events.end(), [thread](const Event& event) {
      return (event.is_birth ? event.block.thread : event.death.thread) == thread;
    });
  }

  void wait(Arrivals& arrivals, uint64_t address, uint64_t time, const Event& event) {
    Events& events = waiting_[address];
    events.push_back(event);
    arrivals.push_back({next_id_++, time, address});
    if (events.size() > kMaxAtOneAddress) {
      events.front().overdue = true;
      settle(address);
    }
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
        sink_.born(*live_.place(event.block));
      } else if (block != nullptr) {
        die(block, event.death);
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
  std::array<RecentDeath, kRecentDeaths> recent_;
  size_t next_recent_ = 0;
};

}  // namespace heapledger
