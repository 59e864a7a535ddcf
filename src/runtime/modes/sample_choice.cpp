#include "runtime/modes/sample_choice.h"

#include <atomic>

#include "runtime/ledger/entry_guard.h"
#include "runtime/ledger/settings_in_force.h"

namespace heapledger::runtime {

__thread Sampler sampler __attribute__((tls_model("initial-exec"))) = {};

namespace {

constexpr uint64_t kLongTime = uint64_t{1} << 40;

constinit std::atomic<uint64_t> threads_begun{0};

void mix_in(uint64_t value) {
  sampler.random ^= value * 0xD6E8FEB86659FD93u;
  next_random(sampler.random);
}

// Tells processes apart; not where a system call is forbidden.
uint32_t own_number() {
  return filter_expected() ? 0 : os::process_id();
}

// Since when the thread's time counts: the first thread's from the beginning of the recording, the
// others' from their first call, as nobody has told of them before.
uint64_t begin_of_time() {
  if (!settings_in_force.weigh_time) return 0;
  const format::FileHeader* header = ledger_header();
  bool begun_so =
      header != nullptr && header->mode == static_cast<uint32_t>(settings::Mode::kSample);
  bool first = begun_so && !filter_expected() && os::thread_id() == os::process_id();
  return first ? header->start.monotonic_ns : now_ns();
}

void begin_thread() {
  uint64_t seed = settings_in_force.seed;
  sampler.random = seed != 0 ? seed : now_ticks() ^ uint64_t { own_number() } << 40;
  mix_in(threads_begun.fetch_add(1, std::memory_order_relaxed) + 1);
  sampler.clock_ns = begin_of_time();
  sampler.begun = true;
}

// A forked child goes on with its parent's generator; so that the two, and any two children, do not
// make the same choices, it takes another turn. With a seed that is the same one every time: it is
// told by how far the parent's ledger was.
void leave_parent() {
  mix_in(settings_in_force.seed != 0 ? 0 : uint64_t{own_number()});
  if (const Window* window = thread_slot.window; window != nullptr) {
    mix_in(window->seq << 32 | window->used());
  }
  sampler.last_block = nullptr;
  if (settings_in_force.weigh_time) sampler.clock_ns = now_ns();
}

}  // namespace

bool can_record() {
  return clock_allowed();
}

uint64_t now_ns() {
  return os::read_clocks().monotonic_ns;
}

template <By by>
void draw() {
  uint64_t asked =
      by == By::kCalls ? settings_in_force.sample_calls : settings_in_force.sample_bytes;
  if (asked <= 1 && by == By::kCalls) {
    sampler.left = 1;
    return;
  }
  if (sampler.mean_asked != asked) {
    sampler.mean_asked = asked;
    sampler.mean = by == By::kCalls ? mean_of_calls(asked) : mean_of_bytes(asked);
  }
  sampler.left = draw_distance(sampler.random, sampler.mean);
}

template <By by>
bool chosen(uint64_t step) {
  if (!can_record()) {
    sampler.left = thread_slot.busy == kHeld ? 1 : kLongTime;
    return false;
  }
  if (!sampler.begun) {
    begin_thread();
    draw<by>();
    if (passes(step)) return false;
  }
  if (beacon->alive == 0) leave_parent();
  draw<by>();
  return true;
}

template void draw<By::kBytes>();
template void draw<By::kCalls>();
template bool chosen<By::kBytes>(uint64_t);
template bool chosen<By::kCalls>(uint64_t);

}  // namespace heapledger::runtime
