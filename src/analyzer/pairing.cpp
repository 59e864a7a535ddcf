#include "analyzer/pairing.h"

#include <algorithm>

namespace heapledger {

std::vector<RecentDeath> LatePairs::recent() const {
  std::vector<RecentDeath> deaths;
  for (size_t i = 0; i < kRecentDeaths; ++i) {
    const RecentDeath& death = recent_[(next_recent_ + i) % kRecentDeaths];
    if (death.address != 0) deaths.push_back(death);
  }
  return deaths;
}

void LatePairs::finish() {
  while (!births_.empty()) give_up_first(births_);
  while (!deaths_.empty()) give_up_first(deaths_);
}

void LatePairs::die(LiveBlock* block, const Death& death) {
  remember({block->address, death.time, death.thread});
  late_sink_.died(*block, death);
  live_.erase(block);
}

void LatePairs::late_birth(const LiveBlock& block) {
  if (!settled()) give_up_before(block.time);
  auto found = waiting_.find(block.address);
  bool in_turn = found == waiting_.end() || awaits(found->second, block.thread);
  LiveBlock* placed = in_turn ? live_.place(block) : nullptr;
  if (placed != nullptr) {
    late_sink_.born(*placed);
    settle(block.address);
  } else {
    wait(births_, block.address, block.time, {next_id_, true, false, false, block, {}});
  }
}

void LatePairs::late_death(uint64_t address, const Death& death) {
  if (!settled()) give_up_before(death.time);
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
bool LatePairs::awaits(const Events& events, uint32_t thread) {
  const Event& first = events.front();
  return !first.is_birth && (first.may_be_swapped || !has_event_of(events, thread));
}

// One thread frees a block and gets its address back at once, and another thread frees that
// block, too early by its stamp: then the deaths appear one after the other, before the birth.
// It makes no difference to any sum which of the two blocks we let which of them end.
bool LatePairs::died_just_now(uint64_t address, const Death& death) const {
  return std::any_of(recent_.begin(), recent_.end(), [&](const RecentDeath& recent) {
    return recent.address == address && recent.thread != death.thread &&
           death.time - recent.time <= slack_.death;
  });
}

// A thread's own events are in order: what it does at an address comes after what it did there.
bool LatePairs::has_event_of(const Events& events, uint32_t thread) {
  return std::any_of(events.begin(), events.end(), [thread](const Event& event) {
    return (event.is_birth ? event.block.thread : event.death.thread) == thread;
  });
}

void LatePairs::wait(Arrivals& arrivals, uint64_t address, uint64_t time, const Event& event) {
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
void LatePairs::settle(uint64_t address) {
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
        late_sink_.never_died(*block, event.block.time);
        live_.erase(block);
      }
      late_sink_.born(*live_.place(event.block));
    } else if (block != nullptr) {
      die(block, event.death);
    } else {
      late_sink_.never_born(address, event.death);
    }
    events.pop_front();
  }
  waiting_.erase(found);
}

void LatePairs::give_up_before(uint64_t now) {
  auto overdue = [now](const Arrivals& arrivals, uint64_t slack) {
    return !arrivals.empty() && now > slack && arrivals.front().time < now - slack;
  };
  while (overdue(births_, slack_.birth)) give_up_first(births_);
  while (overdue(deaths_, slack_.death)) give_up_first(deaths_);
}

void LatePairs::give_up_first(Arrivals& arrivals) {
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

}  // namespace heapledger
