// Pairs the death of every block with its birth. Stamps of different threads can be out of order by
// a little (a processor may read its clock some hundred nanoseconds too early): a birth at an
// address that is still live waits for the death it came before, and a death at an address that is
// not live waits for its birth; both for a slack of time at most, and without holding up
// anything else. Memory is bounded by live blocks.
//
// What nearly always happens is told to the sink directly; the rest, which is not a template, is in
// pairing.cpp.
#pragma once

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

// What is told of blocks.
class PairingSink {
 public:
  virtual ~PairingSink() = default;
  virtual void born(LiveBlock& block) = 0;  // may set its flags
  virtual void died(const LiveBlock& block, const Death& death) = 0;
  // The death of a block nobody saw born.
  virtual void never_born(uint64_t address, const Death& death) = 0;
  // Its address was used again without a death.
  virtual void never_died(const LiveBlock& block, uint64_t time) = 0;
};

// Births and deaths that are not as they should be.
class LatePairs {
 public:
  LiveBlocks& live() { return live_; }
  const LiveBlocks& live() const { return live_; }

  // Whether nothing waits: then the live blocks and the recent deaths are all there is to know.
  bool settled() const { return waiting_.empty(); }

  // The last deaths, the oldest first; and how a pairing that goes on from live blocks learns them.
  std::vector<RecentDeath> recent() const;
  void remember(const RecentDeath& death) { recent_[next_recent_++ % kRecentDeaths] = death; }

  // Nothing more will come.
  void finish();

 protected:
  LatePairs(PairingSink& sink, Slack slack) : late_sink_(sink), slack_(slack) {}

  void late_birth(const LiveBlock& block);
  void late_death(uint64_t address, const Death& death);

  LiveBlocks live_;

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

  static bool awaits(const Events& events, uint32_t thread);
  static bool has_event_of(const Events& events, uint32_t thread);
  bool died_just_now(uint64_t address, const Death& death) const;
  void die(LiveBlock* block, const Death& death);
  void wait(Arrivals& arrivals, uint64_t address, uint64_t time, const Event& event);
  void settle(uint64_t address);
  void give_up_before(uint64_t now);
  void give_up_first(Arrivals& arrivals);

  PairingSink& late_sink_;
  Slack slack_;
  std::unordered_map<uint64_t, Events> waiting_;
  Arrivals births_;
  Arrivals deaths_;
  uint64_t next_id_ = 0;
  std::array<RecentDeath, kRecentDeaths> recent_;
  size_t next_recent_ = 0;
};

// `Sink`: a PairingSink whose functions are final.
template <typename Sink>
class Pairing : public LatePairs {
 public:
  Pairing(Sink& sink, Slack slack) : LatePairs(sink, slack), sink_(sink) {}

  void birth(const LiveBlock& block) {
    if (settled()) [[likely]] {
      if (LiveBlock* placed = live_.place(block)) [[likely]] {
        sink_.born(*placed);
        return;
      }
    }
    late_birth(block);
  }

  void death(uint64_t address, const Death& death) {
    if (settled()) [[likely]] {
      if (LiveBlock* block = live_.find(address)) [[likely]] {
        remember({block->address, death.time, death.thread});
        sink_.died(*block, death);
        live_.erase(block);
        return;
      }
    }
    late_death(address, death);
  }

 private:
  Sink& sink_;
};

}  // namespace heapledger
