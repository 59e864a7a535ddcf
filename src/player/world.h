// What all lanes share: the schedule's tables, the slots, and where lanes stand. Made before the
// first lane begins, in memory of the player's own that is touched by then.
#pragma once

#include <pthread.h>
#include <stdint.h>
#include <time.h>

#include <atomic>

#include "player/results.h"
#include "player/schedule.h"

namespace heapledger::player {

// A slot: generation << 48 | address.
using Slot = std::atomic<uint64_t>;
inline constexpr unsigned kAddressBits = 48;
inline constexpr uint64_t kAddressMask = (uint64_t{1} << kAddressBits) - 1;
inline constexpr uint64_t kOneGeneration = uint64_t{1} << kAddressBits;
inline constexpr uint64_t kFreshSlot = uint64_t{0xffff} << kAddressBits;

// Flag::kCheck: what is known of the block in a slot.
struct Contents {
  uint64_t size;
  uint64_t seed;
};

// What others see of a lane; a cache line of its own.
struct alignas(64) LaneState {
  std::atomic<uint32_t> freed;  // blocks; where order is strict
  std::atomic<uint32_t> begun;
  std::atomic<uint32_t> ended;
  uint32_t joined;  // under the lock of lanes.cpp
  pthread_t thread;
  void* slab;
};

struct World {
  results::Results* results;
  int schedule_fd;
  uint32_t flags;
  Touch touch;
  bool is_null;
  uint64_t touch_mask;  // of offsets in a block: all of them, or those the null allocator has

  schedule::Header header;
  const schedule::Lane* lanes;
  const uint32_t* ends;
  const schedule::Phase* phases;

  Slot* slots;
  Contents* contents;
  LaneState* states;
  std::atomic<uint32_t> alive;  // lanes that have begun and not ended
  std::atomic<uint32_t> phases_passed;
  std::atomic<uint32_t> at_phase;  // lanes that wait for others at the end of one
  uint64_t start_ticks;
  uint64_t start_ns;  // monotonic_ns()

  bool has(Flag flag) const { return (flags & flag) != 0; }
};

extern World world;

inline uint64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

inline void add(uint64_t& to, uint64_t value) {
  __atomic_fetch_add(&to, value, __ATOMIC_RELAXED);
}
inline void add(int64_t& to, int64_t value) {
  __atomic_fetch_add(&to, value, __ATOMIC_RELAXED);
}

}  // namespace heapledger::player
