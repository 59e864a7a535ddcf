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
#include "runtime/modes/control.h"
#include "runtime/modes/mode.h"
#include "runtime/modes/real_calls.h"
#include "runtime/modes/resize_kinds.h"
#include "runtime/modes/sample_choice.h"
#include "runtime/modes/sample_entries.h"
#include "runtime/modes/sampled_blocks.h"

namespace heapledger::runtime {
namespace {

using format::Kind;

template <By by>
void consider(const Sample& sample, const void* block, const Caller& caller) {
  uint64_t step = step_of<by>(sample.size);
  if (block == nullptr || passes(step)) return;
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

template <By by>
void* sample_malloc(size_t size, HEAPLEDGER_CALLER) {
  if (__builtin_expect(orders_waiting(), 0)) look_at_orders();
  if (__builtin_expect(passes(step_of<by>(size)), 1)) return real_heap.malloc(size);
  return malloc_near_sample<by>(size, pc, sp, bp);
}

__attribute__((noinline, cold)) void free_perhaps_sampled(Kind kind, void* block) {
  if (is_sampled(address(block))) {
    // Forgotten only when it is entered: a handler may jump out of here, and the program try again.
    enter_free(kind, block, 0);
    remove_sampled(address(block));
  }
  real_heap.free(block);
}

__attribute__((always_inline)) inline void free_block(Kind kind, void* block) {
  if (__builtin_expect(in_early_arena(block), 0)) return;
  if (__builtin_expect(may_be_sampled(address(block)), 0)) return free_perhaps_sampled(kind, block);
  real_heap.free(block);
}

void sample_free(void* block, uint64_t, uint64_t, uint64_t) {
  free_block(Kind::kFree, block);
}

void sample_free_sized(void* block, size_t, uint64_t, uint64_t, uint64_t) {
  free_block(Kind::kFreeSized, block);
}

void sample_free_aligned_sized(void* block, size_t, size_t, uint64_t, uint64_t, uint64_t) {
  free_block(Kind::kFreeAlignedSized, block);
}

template <By by>
void* sample_calloc(size_t count, size_t size, HEAPLEDGER_CALLER) {
  void* block = real_heap.calloc(count, size);
  consider<by>({Kind::kCalloc, count * size, 0}, block, {pc, sp, bp});
  return block;
}

template <By by>
__attribute__((noinline, cold)) void* resize_sampled(const ResizeKinds& kinds, void* old_block,
                                                     size_t size, const Caller& caller) {
  // A thread's first entry describes the thread, with a time of its own: before ours.
  if (thread_slot.window == nullptr) EntryGuard attach(Missed::kNothing);
  uint64_t begin = can_record() ? now_units() : 0;
  void* block = real_heap.realloc(old_block, size);
  if (block == nullptr && size != 0) return nullptr;
  remove_sampled(address(old_block));
  if (block == nullptr) {
    enter_free(kinds.freed, old_block, begin);
    return nullptr;
  }
  uint64_t step = step_of<by>(size);
  bool again = !passes(step) && chosen<by>(step);
  enter_resize(kinds.resize, begin, old_block, again ? block : nullptr, size, caller);
  return block;
}

template <By by>
void* resize(const ResizeKinds& kinds, void* old_block, size_t size, const Caller& caller) {
  if (old_block == nullptr || in_early_arena(old_block)) {
    void* block = real_realloc(old_block, size);
    consider<by>({kinds.fresh, size, 0}, block, caller);
    return block;
  }
  if (is_sampled(address(old_block))) return resize_sampled<by>(kinds, old_block, size, caller);
  void* block = real_heap.realloc(old_block, size);
  uint64_t step = step_of<by>(size);
  if (block == nullptr || passes(step) || !chosen<by>(step)) return block;
  enter_resize(kinds.resize, 0, nullptr, block, size, caller);
  return block;
}

template <By by>
void* sample_realloc(void* block, size_t size, HEAPLEDGER_CALLER) {
  return resize<by>(kRealloc, block, size, {pc, sp, bp});
}

template <By by>
void* sample_reallocarray(void* block, size_t count, size_t size, HEAPLEDGER_CALLER) {
  size_t bytes;
  if (!array_bytes(count, size, bytes)) return nullptr;
  return resize<by>(kReallocArray, block, bytes, {pc, sp, bp});
}

template <By by>
int sample_posix_memalign(void** result, size_t alignment, size_t size, HEAPLEDGER_CALLER) {
  int error = real_heap.posix_memalign(result, alignment, size);
  if (error == 0) consider<by>({Kind::kPosixMemalign, size, alignment}, *result, {pc, sp, bp});
  return error;
}

template <By by>
void* sample_aligned_alloc(size_t alignment, size_t size, HEAPLEDGER_CALLER) {
  void* block = real_heap.aligned_alloc(alignment, size);
  consider<by>({Kind::kAlignedAlloc, size, alignment}, block, {pc, sp, bp});
  return block;
}

template <By by>
void* sample_memalign(size_t alignment, size_t size, HEAPLEDGER_CALLER) {
  void* block = real_heap.memalign(alignment, size);
  consider<by>({Kind::kMemalign, size, alignment}, block, {pc, sp, bp});
  return block;
}

template <By by>
void* sample_valloc(size_t size, HEAPLEDGER_CALLER) {
  void* block = real_heap.valloc(size);
  consider<by>({Kind::kValloc, size, 0}, block, {pc, sp, bp});
  return block;
}

template <By by>
void* sample_pvalloc(size_t size, HEAPLEDGER_CALLER) {
  void* block = real_heap.pvalloc(size);
  consider<by>({Kind::kPvalloc, size, 0}, block, {pc, sp, bp});
  return block;
}

size_t sample_malloc_usable_size(void* block, uint64_t, uint64_t, uint64_t) {
  return real_usable_size(block);
}

template <By by>
constexpr Mode kSampleBy = {
    sample_malloc<by>,         sample_free,
    sample_calloc<by>,         sample_realloc<by>,
    sample_reallocarray<by>,   sample_posix_memalign<by>,
    sample_aligned_alloc<by>,  sample_memalign<by>,
    sample_valloc<by>,         sample_pvalloc<by>,
    sample_free_sized,         sample_free_aligned_sized,
    sample_malloc_usable_size,
};

}  // namespace

const Mode kSampleBytesMode = kSampleBy<By::kBytes>;
const Mode kSampleCallsMode = kSampleBy<By::kCalls>;

}  // namespace heapledger::runtime
