// The time that a lane is busy: all of it, but not what it waits for other lanes, for the schedule,
// for the clock or for a processor. The kernel says how long a thread was ready and had no
// processor; where it does not, its CPU time is taken.
#pragma once

#include <arch_ticks.h>
#include <stdint.h>

#include "player/kernel.h"
#include "player/lane_run.h"

namespace heapledger::player {

void start_clock(LaneRun& run);
// Adds the lane's times to the results.
void stop_clock(LaneRun& run);
// Turns them into ticks, when the rate is known; after the last lane.
void settle_clocks(double ns_per_tick);

// How long the thread waited for a processor so far, or its CPU time; and ticks just before and
// just after that was read. The three belong together: nothing was waited for in between.
struct KernelTime {
  uint64_t before;
  uint64_t after;
  uint64_t ns;
};
KernelTime kernel_time(const LaneRun& run);

// While it lives, nothing is charged.
class Uncharged {
 public:
  explicit Uncharged(LaneRun& run) : run_(run), began_(kernel_time(run)) {}
  ~Uncharged() {
    const KernelTime ended = kernel_time(run_);
    run_.last_ns = ended.ns;
    run_.uncharged_ns += ended.ns - began_.ns;
    run_.uncharged_ticks += ended.after - began_.before;
  }
  Uncharged(const Uncharged&) = delete;
  Uncharged& operator=(const Uncharged&) = delete;

  const KernelTime& began() const { return began_; }

 private:
  LaneRun& run_;
  KernelTime began_;
};

// A call that took longer may have had no processor in between.
inline constexpr uint64_t kLongCall = 50'000;
// What a long call took without the time that its thread waited for a processor.
uint64_t without_queue(LaneRun& run, uint64_t took);

// Until another lane has come so far. Looks first, then yields, then sleeps between looks: the
// other lane wakes nobody, which would cost it time.
template <typename Condition>
[[gnu::noinline]] void wait_until(LaneRun& run, Condition is_so) {
  constexpr int kLooks = 100;
  constexpr uint64_t kLookTicks = 20'000;  // more than they take: what is beyond it is no looking
  const uint64_t began = ticks();
  ++run.waits;
  for (int look = 0; look < kLooks; ++look) {
    if (is_so()) {
      const uint64_t took = ticks() - began;
      run.spun_ticks += took < kLookTicks ? took : kLookTicks;
      run.waited_ticks += took;
      return;
    }
    relax();
  }
  {
    const uint64_t took = ticks() - began;
    run.spun_ticks += took < kLookTicks ? took : kLookTicks;
    const Uncharged uncharged(run);
    for (int look = 0; !is_so(); ++look) {
      if (look < 50) {
        kernel::yield();
      } else {
        kernel::sleep(look < 150 ? 20'000 : 200'000);
      }
    }
  }
  run.waited_ticks += ticks() - began;
}

}  // namespace heapledger::player
