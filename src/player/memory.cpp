#include "player/memory.h"

#include "player/functions.h"
#include "player/kernel.h"
#include "player/lane_clock.h"
#include "player/numbers.h"
#include "player/outcome.h"

namespace heapledger::player {
namespace {

struct Pages {
  uint64_t resident;  // bytes
  uint64_t shared;    // of them: files, and shared memory
  uint64_t own() const { return resident - shared; }
};

int statm_fd = -1;
Pages before{};
uint64_t highest_before = 0;
rusage used_before{};
uint64_t highest_sample = 0;

Pages pages_now() {
  uint64_t fields[3] = {0, 0, 0};
  if (statm_fd < 0 || !read_numbers(statm_fd, fields)) return {};
  return {fields[1] * kPage, (fields[2] < fields[1] ? fields[2] : fields[1]) * kPage};
}

uint64_t above(uint64_t value, uint64_t base) {
  return value > base ? value - base : 0;
}

uint64_t heap_now() {
  return above(pages_now().own(), before.own());
}

void note_highest(uint64_t bytes) {
  uint64_t seen = __atomic_load_n(&highest_sample, __ATOMIC_RELAXED);
  while (bytes > seen && !__atomic_compare_exchange_n(&highest_sample, &seen, bytes, true,
                                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

uint64_t highest_resident() {
  const int fd = kernel::open("/proc/self/status", O_RDONLY);
  if (fd < 0) return 0;
  const uint64_t bytes = number_after(fd, "VmHWM:") * 1024;
  kernel::close(fd);
  return bytes;
}

}  // namespace

void start_memory() {
  statm_fd = kernel::open("/proc/self/statm", O_RDONLY);
  const int clear = kernel::open("/proc/self/clear_refs", O_WRONLY);
  if (clear >= 0) {
    kernel::write(clear, "5", 1);
    kernel::close(clear);
  }
  highest_before = highest_resident();
  used_before = kernel::usage();
  before = pages_now();
  // Without what the allocator that does nothing has instead of a heap.
  world.results->baseline_bytes = above(before.own(), world.is_null ? kNullBytes : 0);
}

void stop_memory() {
  auto& results = *world.results;
  const rusage used = kernel::usage();
  results.minor_faults = static_cast<uint64_t>(used.ru_minflt - used_before.ru_minflt);
  results.major_faults = static_cast<uint64_t>(used.ru_majflt - used_before.ru_majflt);
  const Pages now = pages_now();
  results.end_rss_bytes = above(now.own(), before.own());
  note_highest(results.end_rss_bytes);
  // What grew besides the heap while it was played, code that was read and stacks, stays: it was
  // not more at the highest point than it is now.
  const uint64_t highest = highest_resident();
  if (highest > highest_before) {
    note_highest(above(highest, before.resident + above(now.shared, before.shared)));
  }
  results.peak_rss_bytes = highest_sample;
}

namespace {

// True for the last lane, which has looked at the memory, and lets all others go on.
bool arrive(LaneRun& run, uint32_t phase) {
  const Uncharged uncharged(run);
  auto& passed = world.results->phases[phase];
  // Each phase gets the change since the one before: a lane without words in between has none.
  add(passed.live_bytes, run.live_bytes - run.live_at_phase);
  run.live_at_phase = run.live_bytes;
  run.next_phase = phase + 1;
  const uint64_t arrived = __atomic_add_fetch(&passed.arrived, 1, __ATOMIC_ACQ_REL);
  if (arrived != world.phases[phase].lanes) return false;
  passed.ticks = ticks() - world.start_ticks;
  if (!world.has(kTraced)) {
    passed.rss_bytes = heap_now();
    note_highest(passed.rss_bytes);
  }
  world.phases_passed.store(phase + 1, std::memory_order_release);
  return true;
}

// Whether nobody is left who could end a phase: only a damaged schedule can bring that about.
class Standstill {
 public:
  void look(uint32_t passed) {
    constexpr uint64_t kLongNs = 2'000'000'000;
    constexpr uint32_t kLooks = 64;  // most waits are short
    if (++looks_ % kLooks != 0) return;
    const uint64_t now = monotonic_ns();
    if (passed != passed_ || world.at_phase.load() != world.alive.load()) {
      since_ = now;
      passed_ = passed;
    } else if (now - since_ > kLongNs) {
      end_run(results::Outcome::kBadSchedule, "all lanes wait for the end of phase %u", passed);
    }
  }

 private:
  uint32_t looks_ = 0;
  uint32_t passed_ = UINT32_MAX;
  uint64_t since_ = 0;
};

}  // namespace

void pass_phase(LaneRun& run, uint32_t phase) {
  if (arrive(run, phase)) return;
  world.at_phase.fetch_add(1);
  Standstill standstill;
  wait_until(run, [&] {
    const uint32_t passed = world.phases_passed.load(std::memory_order_acquire);
    if (passed <= phase) standstill.look(passed);
    return passed > phase;
  });
  world.at_phase.fetch_sub(1);
}

void pass_last_phases(LaneRun& run) {
  if (run.next_phase < world.header.phases) {
    add(world.results->phases[run.next_phase].live_bytes, run.live_bytes - run.live_at_phase);
  }
}

void settle_phases() {
  int64_t live = 0;
  for (uint32_t phase = 0; phase < world.header.phases; ++phase) {
    live += world.results->phases[phase].live_bytes;
    world.results->phases[phase].live_bytes = live;
  }
}

}  // namespace heapledger::player
