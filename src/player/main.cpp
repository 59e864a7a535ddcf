// The player: plays a schedule against the allocator that is loaded into this process, and leaves
// what it measured in memory that is shared with whoever started it. results.h has its arguments.
//
// Its status is 0 whenever it says itself how it ended; all else is a crash.
#include <arch_ticks.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "player/check.h"
#include "player/functions.h"
#include "player/kernel.h"
#include "player/lane_clock.h"
#include "player/lanes.h"
#include "player/load.h"
#include "player/memory.h"
#include "player/world.h"

namespace heapledger::player {
namespace {

struct Moment {
  uint64_t ticks;
  uint64_t ns;
};

Moment now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &time);
  return {ticks(),
          static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec)};
}

// The rate of the clock since `start`, over no less than a few milliseconds.
double ns_per_tick(Moment start) {
  constexpr uint64_t kLongEnough = 2'000'000;
  Moment end = now();
  while (end.ns - start.ns < kLongEnough) end = now();
  return static_cast<double>(end.ns - start.ns) / static_cast<double>(end.ticks - start.ticks);
}

bool map_results(int fd) {
  if (kernel::size_of(fd) < static_cast<int64_t>(sizeof(results::Results))) return false;
  world.results = static_cast<results::Results*>(
      kernel::map(sizeof(results::Results), MAP_SHARED | MAP_POPULATE, fd));
  return world.results != nullptr;
}

// Each lane has a file of its own open.
void allow_many_files() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

void prepare(const char* allocator) {
  world.results->magic = results::kMagic;
  world.is_null = strcmp(allocator, "null") == 0;
  world.touch_mask = world.is_null ? kNullBytes - 1 : ~uint64_t{0};
  allow_many_files();
  load_schedule();
  find_functions(allocator, world.has(kRecorder));
  prepare_lanes();
}

void play_and_measure() {
  const Moment start = now();
  start_memory();
  play_all();
  stop_memory();
  const double rate = ns_per_tick(start);
  world.results->ns_per_tick = rate;
  settle_clocks(rate);
  settle_phases();
  if (world.has(kCheck)) check_left();
  __atomic_store_n(&world.results->outcome, static_cast<uint32_t>(results::Outcome::kDone),
                   __ATOMIC_RELEASE);
}

}  // namespace
}  // namespace heapledger::player

int main(int count, char** arguments) {
  using namespace heapledger::player;
  if (count != 6 || !map_results(atoi(arguments[2]))) return 2;
  world.schedule_fd = atoi(arguments[1]);
  world.flags = static_cast<uint32_t>(strtoul(arguments[3], nullptr, 10));
  world.touch = static_cast<Touch>(strtoul(arguments[4], nullptr, 10));
  prepare(arguments[5]);
  play_and_measure();
  // A recorder writes its last entries at the end; no allocator has anything to do any more.
  if (world.has(kRecorder)) return 0;
  kernel::exit_process(0);
}
