#include "player/lane_clock.h"

#include "player/numbers.h"

namespace heapledger::player {
namespace {

// Over all lanes that have ended: busy time is the ticks and these nanoseconds.
int64_t busy_ticks = 0;
int64_t busy_ns = 0;

uint64_t kernel_ns(const LaneRun& run) {
  if (world.has(kTraced)) return 0;
  if (run.queue_fd < 0) return kernel::thread_cpu_ns();
  uint64_t fields[2] = {0, 0};
  read_numbers(run.queue_fd, fields);
  return fields[1];
}

}  // namespace

// A thread often loses its processor at the end of a system call, here after the kernel has said
// what it waited before. That takes long, and shows.
KernelTime kernel_time(const LaneRun& run) {
  constexpr uint64_t kLong = 20'000;
  KernelTime time{};
  for (int tries = 0; tries < 5; ++tries) {
    time.before = ticks();
    time.ns = kernel_ns(run);
    time.after = ticks();
    if (time.after - time.before < kLong) break;
  }
  return time;
}

void start_clock(LaneRun& run) {
  run.queue_fd = world.has(kTraced) ? -1 : kernel::open("/proc/thread-self/schedstat", O_RDONLY);
  uint64_t fields[3] = {0, 0, 0};  // the third: how often it ran, at least once
  if (run.queue_fd >= 0 && (!read_numbers(run.queue_fd, fields) || fields[2] == 0)) {
    kernel::close(run.queue_fd);
    run.queue_fd = -1;
  }
  const KernelTime now = kernel_time(run);
  run.first_ns = now.ns;
  run.last_ns = now.ns;
  run.first_ticks = now.after;
}

uint64_t without_queue(LaneRun& run, uint64_t took) {
  if (run.queue_fd < 0) return took;
  const uint64_t asked = run.last_ns;
  const Uncharged uncharged(run);
  const double rate = static_cast<double>(monotonic_ns() - world.start_ns) /
                      static_cast<double>(ticks() - world.start_ticks);
  const auto queued =
      static_cast<uint64_t>(static_cast<double>(uncharged.began().ns - asked) / rate);
  // More than the call took: it waited before the call.
  return queued <= took ? took - queued : took;
}

void stop_clock(LaneRun& run) {
  const KernelTime now = kernel_time(run);
  const uint64_t took = now.before - run.first_ticks;
  const auto ns = static_cast<int64_t>(now.ns - run.first_ns - run.uncharged_ns);
  if (run.queue_fd >= 0) {
    kernel::close(run.queue_fd);
    add(busy_ticks, static_cast<int64_t>(took - run.spun_ticks - run.uncharged_ticks));
    add(busy_ns, -ns);
  } else {
    __atomic_store_n(&world.results->busy_is_cpu, 1, __ATOMIC_RELAXED);
    add(busy_ticks, -static_cast<int64_t>(run.spun_ticks));
    add(busy_ns, ns);
  }
  add(world.results->waited_ticks, run.waited_ticks);
  add(world.results->waits, run.waits);
}

void settle_clocks(double ns_per_tick) {
  const double busy = static_cast<double>(busy_ticks) + static_cast<double>(busy_ns) / ns_per_tick;
  world.results->busy_ticks = busy > 0 ? static_cast<uint64_t>(busy) : 0;
}

}  // namespace heapledger::player
