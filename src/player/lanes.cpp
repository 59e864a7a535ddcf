#include "player/lanes.h"

#include <string.h>

#include "player/kernel.h"
#include "player/lane.h"
#include "player/lane_clock.h"
#include "player/memory.h"
#include "player/outcome.h"

namespace heapledger::player {
namespace {

using results::Outcome;

// A lane's memory: what it counts, and its stack, which also holds its thread-local variables.
constexpr uint64_t kSlabBytes = 512 * 1024;
constexpr uint64_t kRunBytes = (sizeof(LaneRun) + 4095) / 4096 * 4096;
constexpr uint64_t kTouchedStack = 32 * 1024;
constexpr uint32_t kMostSlabs = 32'768;
constexpr uint32_t kTouchedSlabs = 64;

LaneRun first_run{};
PlayLane play_lane = nullptr;

char* slabs = nullptr;
uint32_t slabs_used = 0;
uint32_t slab_count = 0;
void* free_slab = nullptr;  // its first word is the next one
std::atomic_flag lock = ATOMIC_FLAG_INIT;
uint32_t ends_joined = 0;  // of the schedule's ends

uint64_t last_end = 0;

class Locked {
 public:
  Locked() {
    while (lock.test_and_set(std::memory_order_acquire)) kernel::yield();
  }
  ~Locked() { lock.clear(std::memory_order_release); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
};

template <typename Number>
void keep_largest(Number& where, Number value) {
  Number seen = __atomic_load_n(&where, __ATOMIC_RELAXED);
  while (value > seen && !__atomic_compare_exchange_n(&where, &seen, value, true, __ATOMIC_RELAXED,
                                                      __ATOMIC_RELAXED)) {
  }
}

void add_results(const LaneRun& run) {
  auto& results = *world.results;
  add(results.given_back, run.given_back);
  add(results.emulated, run.emulated);
  if (!world.has(kLatency)) return;
  for (uint32_t bucket = 0; bucket < results::kLatencyBuckets; ++bucket) {
    if (run.latency[bucket] != 0) add(results.latency[bucket], run.latency[bucket]);
  }
  keep_largest(results.latency_worst, run.latency_worst);
}

void play(LaneRun& run) {
  read_chunk(run, world.lanes[run.number].first_chunk);
  start_clock(run);
  play_lane(run);
  stop_clock(run);
  keep_largest(last_end, ticks());
  settle_chunk(run);
  if (run.calls != world.lanes[run.number].calls) {
    end_run(Outcome::kBadSchedule, "lane %u of the schedule has %llu calls instead of %llu",
            run.number, static_cast<unsigned long long>(run.calls),
            static_cast<unsigned long long>(world.lanes[run.number].calls));
  }
  pass_last_phases(run);
  add_results(run);
  __atomic_add_fetch(&world.results->lanes_ended, 1, __ATOMIC_RELAXED);
  world.states[run.number].ended.store(1, std::memory_order_release);
  world.alive.fetch_sub(1, std::memory_order_release);
}

void* lane_thread(void* run) {
  play(*static_cast<LaneRun*>(run));
  return nullptr;
}

// Under the lock. Joining, not only waiting for the lane's last word: what the allocator does when
// a thread ends was over in the recording, too.
void join(uint32_t number) {
  auto& state = world.states[number];
  if (state.joined != 0 || state.slab == nullptr) return;
  pthread_join(state.thread, nullptr);
  state.joined = 1;
  *static_cast<void**>(state.slab) = free_slab;
  free_slab = state.slab;
}

void* take_slab() {
  if (free_slab != nullptr) {
    void* slab = free_slab;
    free_slab = *static_cast<void**>(slab);
    return slab;
  }
  if (slabs_used == slab_count) {
    end_run(Outcome::kBadSchedule, "more than %u threads at one time", slab_count);
  }
  return slabs + kSlabBytes * slabs_used++;
}

void start_thread(uint32_t number) {
  auto& state = world.states[number];
  state.slab = take_slab();
  auto* run = static_cast<LaneRun*>(state.slab);
  memset(static_cast<void*>(run), 0, sizeof *run);
  run->number = number;
  keep_largest(world.results->most_lanes, world.alive.fetch_add(1, std::memory_order_relaxed) + 1);
  pthread_attr_t how;
  pthread_attr_init(&how);
  pthread_attr_setstack(&how, static_cast<char*>(state.slab) + kRunBytes, kSlabBytes - kRunBytes);
  const int failure = pthread_create(&state.thread, &how, lane_thread, run);
  pthread_attr_destroy(&how);
  if (failure != 0) {
    end_run(Outcome::kBadSchedule, "no thread for lane %u: %s", number, strerror(failure));
  }
}

}  // namespace

void prepare_lanes() {
  play_lane = choose_play();
  memset(static_cast<void*>(&first_run), 0, sizeof first_run);
  const uint32_t others = world.header.lanes - 1;
  if (others == 0) return;
  slab_count = others < kMostSlabs ? others : kMostSlabs;
  slabs = static_cast<char*>(
      kernel::map(slab_count * kSlabBytes, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE));
  if (slabs == nullptr) end_run(Outcome::kBadSchedule, "no memory for %u stacks", slab_count);
  for (uint32_t slab = 0; slab < slab_count && slab < kTouchedSlabs; ++slab) {
    char* begin = slabs + slab * kSlabBytes;
    memset(begin, 0, kRunBytes);
    memset(begin + kSlabBytes - kTouchedStack, 0, kTouchedStack);
  }
}

void play_all() {
  world.start_ns = monotonic_ns();
  world.start_ticks = ticks();
  world.alive = 1;
  world.results->most_lanes = 1;
  world.states[0].begun = 1;
  system_call(kPlayMark);
  play(first_run);
  while (world.alive.load(std::memory_order_acquire) != 0) kernel::sleep(500'000);
  for (uint32_t number = 0; number < world.header.lanes; ++number) {
    const Locked locked;
    join(number);
  }
  system_call(kPlayMark);
  world.results->wall_ticks = last_end - world.start_ticks;
  if (world.results->lanes_ended != world.header.lanes) {
    end_run(Outcome::kBadSchedule, "only %u of the schedule's %u lanes were begun",
            world.results->lanes_ended, world.header.lanes);
  }
}

void spawn_lane(LaneRun& run, uint32_t lane, uint32_t after) {
  for (uint32_t end = __atomic_load_n(&ends_joined, __ATOMIC_RELAXED); end < after; ++end) {
    auto& ended = world.states[world.ends[end]].ended;
    const auto is_so = [&] { return ended.load(std::memory_order_acquire) != 0; };
    if (!is_so()) wait_until(run, is_so);
  }
  const Uncharged uncharged(run);
  const Locked locked;
  for (; ends_joined < after; __atomic_fetch_add(&ends_joined, 1, __ATOMIC_RELAXED)) {
    join(world.ends[ends_joined]);
  }
  if (world.states[lane].begun.exchange(1) != 0) {
    end_run(Outcome::kBadSchedule, "lane %u of the schedule begins twice", lane);
  }
  start_thread(lane);
}

void await_frees(LaneRun& run, uint32_t lane, uint32_t freed) {
  const auto& count = world.states[lane].freed;
  const auto is_so = [&] {
    return static_cast<int32_t>(count.load(std::memory_order_acquire) - freed) >= 0;
  };
  if (!is_so()) wait_until(run, is_so);
}

void pause_until(LaneRun& run, uint64_t ns) {
  if (!world.has(kReal)) return;
  const Uncharged uncharged(run);
  constexpr uint64_t kLongest = 900'000'000;
  for (;;) {
    const uint64_t passed = monotonic_ns() - world.start_ns;
    if (passed >= ns) return;
    const uint64_t left = ns - passed;
    kernel::sleep(static_cast<long>(left < kLongest ? left : kLongest));
  }
}

}  // namespace heapledger::player
