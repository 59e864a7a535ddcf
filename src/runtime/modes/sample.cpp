// Sample mode: a random choice of calls is entered, with everything trace mode enters; the rest
// costs a subtraction, and a free one load. What a sample stands for follows from its size and the
// mean distance in the header, so the reader weighs it; nothing of that is computed here.
//
// Each thread counts down to its next sample: by the bytes it asks for, or by its calls. The
// distance is drawn anew after each sample (sample_random.h). Blocks that were sampled are known by
// address (sampled_blocks.h), so that their end is entered, whoever brings it about. A resize of
// which only one side was sampled is entered with 0 for the other.
//
// Stamps are as in trace mode: a free before the real free, an allocation after the real one.
//
// This file has what the hooks call; the choice is in sample_choice.h, the entries in
// sample_entries.h.
#include "runtime/ledger/entry_guard.h"
#include "runtime/modes/by_event.h"
#include "runtime/modes/control.h"
#include "runtime/modes/sample_choice.h"
#include "runtime/modes/sample_entries.h"
#include "runtime/modes/sampled_blocks.h"

namespace heapledger::runtime {
namespace {

using format::Kind;

template <By by>
void consider(const Sample& sample, const void* block, const Caller& caller) {
  uint64_t step = step_of<by>(sample.size);
  if (passes(step)) return;
  if (chosen<by>(step)) enter(sample, block, caller);
}

template <By by>
__attribute__((noinline, cold)) void* malloc_near_sample(size_t size, HEAPLEDGER_CALLER) {
  void* block = real_heap.malloc(size);
  if (block != nullptr) {
    consider<by>({Kind::kMalloc, size, 0}, block, {pc, sp, bp});
  } else if (sampler.begun) {
    // It may have counted down before it failed: then the sample was this one, and is none. The
    // next call must not be chosen in its place.
    draw<by>();
  }
  return block;
}

// Not in the quick path, which would keep its arguments on the stack then.
template <By by>
__attribute__((noinline, cold)) void* malloc_after_orders(size_t size, HEAPLEDGER_CALLER) {
  look_at_orders();
  if (passes(step_of<by>(size))) return real_heap.malloc(size);
  return malloc_near_sample<by>(size, pc, sp, bp);
}

// Forgotten only when it is entered: a handler may jump out of here, and the program try again.
__attribute__((noinline, cold)) void end_if_sampled(Kind kind, const void* block) {
  if (!is_sampled(address(block))) return;
  enter_free(kind, block, 0);
  remove_sampled(address(block));
}

__attribute__((noinline, cold)) void free_perhaps_sampled(void* block) {
  end_if_sampled(Kind::kFree, block);
  real_heap.free(block);
}

template <By by>
struct SampleBy : ByEvent<SampleBy<by>> {
  static void* malloc(size_t size, HEAPLEDGER_CALLER) {
    if (__builtin_expect(orders_waiting(), 0)) return malloc_after_orders<by>(size, pc, sp, bp);
    if (__builtin_expect(passes(step_of<by>(size)), 1)) return real_heap.malloc(size);
    return malloc_near_sample<by>(size, pc, sp, bp);
  }

  static void free(void* block, uint64_t, uint64_t, uint64_t) {
    if (__builtin_expect(in_early_arena(block), 0)) return;
    if (__builtin_expect(may_be_sampled(address(block)), 0)) return free_perhaps_sampled(block);
    real_heap.free(block);
  }

  template <Function function>
  HEAPLEDGER_INLINE void born(void* block, const Asked& asked, const Caller& caller) {
    consider<by>({format::row_of(function).birth, asked.size, asked.alignment}, block, caller);
  }

  template <Function function>
  HEAPLEDGER_INLINE void died(void* block) {
    if (may_be_sampled(address(block))) end_if_sampled(format::row_of(function).death, block);
  }

  struct Before {
    bool sampled;
    uint64_t time;
  };
  template <Function>
  HEAPLEDGER_INLINE Before resizing(void* old_block) {
    if (__builtin_expect(!is_sampled(address(old_block)), 1)) return {false, 0};
    // A thread's first entry describes the thread, with a time of its own: before ours.
    if (thread_slot.window == nullptr) EntryGuard attach(Missed::kNothing);
    return {true, can_record() ? now_units() : 0};
  }

  template <Function function>
  HEAPLEDGER_INLINE void resized(const Before& before, void* old_block, void* block, size_t size,
                                 const Caller& caller) {
    if (before.sampled) remove_sampled(address(old_block));
    uint64_t step = step_of<by>(size);
    bool again = !passes(step) && chosen<by>(step);
    if (!before.sampled && !again) return;
    enter_resize(format::row_of(function).resize, before.time, before.sampled ? old_block : nullptr,
                 again ? block : nullptr, size, caller);
  }

  template <Function function>
  HEAPLEDGER_INLINE void freed(const Before& before, void* old_block) {
    if (!before.sampled) return;
    remove_sampled(address(old_block));
    enter_free(format::row_of(function).death, old_block, before.time);
  }
};

}  // namespace

constinit const Mode kSampleBytesMode = make_mode<SampleBy<By::kBytes>>();
constinit const Mode kSampleCallsMode = make_mode<SampleBy<By::kCalls>>();

}  // namespace heapledger::runtime
