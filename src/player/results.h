// What the player measured: one struct in memory that it shares with whoever started it, so that
// what it did so far is known even when the allocator crashes or hangs.
//
// Times are in ticks of the processor's clock; ns_per_tick is measured over the run.
//
// Only the C library's headers: the player includes this.
#pragma once

#include <stdint.h>
#include <sys/syscall.h>

#include "player/schedule.h"

namespace heapledger::results {

inline constexpr uint64_t kMagic = 0x315345524c48ULL;

enum class Outcome : uint32_t {
  kStarted = 0,  // and nothing more is known: it crashed, or was killed
  kDone = 1,
  kNotLoaded = 2,    // the allocator is not the one that was asked for: `text` says which is
  kBadSchedule = 3,  // or a file, or memory, that cannot be had: `text`
  kNoMemory = 4,     // the allocator returned NULL where the recorded one had not
  kBroken = 5,       // --check found that it does not keep its promises: `text`
};

// Latencies of single calls: 32 steps for each power of two of ticks.
inline constexpr uint32_t kSteps = 32;
inline constexpr uint32_t kLatencyBuckets = 64 * kSteps;

inline constexpr uint32_t latency_bucket(uint64_t ticks) {
  if (ticks < 2 * kSteps) return static_cast<uint32_t>(ticks);
  const auto top = static_cast<uint32_t>(63 - __builtin_clzll(ticks));  // at least 6
  const auto shift = top - 5;
  return shift * kSteps + static_cast<uint32_t>(ticks >> shift);
}
// The smallest number of ticks in a bucket.
inline constexpr uint64_t latency_floor(uint32_t bucket) {
  if (bucket < 2 * kSteps) return bucket;
  const uint32_t shift = bucket / kSteps - 1;
  return static_cast<uint64_t>(bucket - shift * kSteps) << shift;
}
static_assert(latency_bucket(63) == 63 && latency_bucket(64) == 64 && latency_floor(64) == 64);
static_assert(latency_floor(latency_bucket(1000)) <= 1000 &&
              latency_floor(latency_bucket(1000) + 1) > 1000);

struct PhaseResult {
  uint64_t arrived;    // lanes that are past it
  int64_t live_bytes;  // what lanes had allocated less what they had freed when each was there;
                       // with Flag::kCheck only, from the sizes that the player asked for itself
  uint64_t rss_bytes;  // of the heap, when all of them were there; 0: not sampled
  uint64_t ticks;      // since the start, likewise
};

struct Results {
  uint64_t magic;
  uint32_t outcome;  // Outcome
  uint32_t lanes_ended;
  double ns_per_tick;

  // Summed over the lanes, at their ends. Busy: from the first word to kEnd without waiting for
  // other lanes, for the schedule, for the clock, for a processor, and without sampling memory.
  uint64_t calls;  // that were made; also while running, now and then
  uint64_t busy_ticks;
  uint64_t waited_ticks;  // for other lanes
  uint64_t waits;
  uint64_t wall_ticks;   // from the start of the first lane to the end of the last
  uint32_t busy_is_cpu;  // the kernel does not say who waited for a processor: CPU time instead
  uint32_t most_lanes;   // that were alive at one time

  uint64_t given_back;  // blocks of kFails, or of realloc to zero, freed at once
  uint64_t emulated;    // calls of functions that the allocator does not have

  // Memory of the heap: private resident pages less those there were before the first call, which
  // are `baseline_bytes`: what the process has without a heap, and what the allocator took at its
  // start.
  uint64_t baseline_bytes;
  uint64_t peak_rss_bytes;
  uint64_t end_rss_bytes;  // after the last call
  uint64_t minor_faults;
  uint64_t major_faults;

  uint64_t latency_worst;  // ticks, of a single call; Flag::kLatency
  char allocator[512];     // path of the object whose malloc was called
  char text[512];          // with outcomes other than kDone
  uint64_t latency[kLatencyBuckets];
  PhaseResult phases[schedule::kMaxPhases];
};

}  // namespace heapledger::results

namespace heapledger::player {

// The player's arguments: SCHEDULE_FD RESULTS_FD FLAGS TOUCH ALLOCATOR. The allocator is the path
// of the library that LD_PRELOAD names, "libc", or "null": one that does nothing.
enum Flag : uint32_t {
  kLatency = 1,   // time every single call; else only the whole
  kCheck = 2,     // fill blocks, and see that they keep what they were filled with
  kReal = 4,      // in real time: obey kPause
  kTraced = 16,   // somebody counts system calls: times and memory are not looked at
  kRecorder = 8,  // a recorder is preloaded in front of the allocator: its name is not checked
};
// System calls are counted between two calls of this one by the player's own code: just before the
// first lane begins, and when the last one has ended. What the player itself asks of the kernel in
// between is not counted when its own code has the instruction that asks, so it does not use libc's
// functions for that: those are also the way of libc's malloc.
inline constexpr long kPlayMark = SYS_getppid;

enum class Touch : uint32_t {
  kNone = 0,
  kFirst = 1,  // write to the beginning of each new block
  kAll = 2,    // write to each of its pages
};

}  // namespace heapledger::player
