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
#include "runtime/ledger/entry_guard.h"
#include "runtime/ledger/settings_in_force.h"
#include "runtime/modes/control.h"
#include "runtime/modes/mode.h"
#include "runtime/modes/real_calls.h"
#include "runtime/modes/resize_kinds.h"
#include "runtime/modes/sample_random.h"
#include "runtime/modes/sampled_blocks.h"
#include "runtime/unwind/site_trie.h"

namespace heapledger::runtime {
namespace {

using format::Kind;

// What a thread knows of its own samples. Zero until its first call.
struct Sampler {
  uint64_t left;           // the next sample is where the calls so far reach this
  uint64_t drawn;          // what `left` was at the last sample
  const void* last_block;  // that sample's block, while this thread has entered nothing else
  uint64_t random;         // state of its generator
  uint64_t clock_ns;       // weigh=time: since when its time goes to the next sample
  uint64_t mean_asked;     // what `mean` was computed from
  Wide mean;
  bool begun;
};
__thread Sampler sampler __attribute__((tls_model("initial-exec"))) = {};

constinit std::atomic<uint64_t> threads_begun{0};

uint64_t address(const void* block) {
  return reinterpret_cast<uint64_t>(block);
}

uint64_t now_ns() {
  return os::read_clocks().monotonic_ns;
}

// Not when recording has ended for good: then no clock may be read any more, as a strict system
// call filter forbids even that. (A forked child has not begun yet.)
bool can_record() {
  return beacon->recording != 0 || beacon->alive == 0;
}

// --- the choice ---

enum class By { kBytes, kCalls };
constexpr uint64_t kLongTime = uint64_t{1} << 40;

// How far a call counts down. A block of no bytes counts as one, or it could never be chosen.
template <By by>
uint64_t step_of(size_t size) {
  return by == By::kCalls ? 1 : size + (size == 0 ? 1 : 0);
}

// The hot path: true for a call that is not sampled. Nothing is changed where it is false. (A
// handler that comes in between may have its own step undone: the choice stays a random one.)
__attribute__((always_inline)) inline bool passes(uint64_t step) {
  uint64_t left = sampler.left;
  if (__builtin_expect(step >= left, 0)) return false;
  sampler.left = left - step;
  return true;
}

void mix_in(uint64_t value) {
  sampler.random ^= value * 0xD6E8FEB86659FD93u;
  next_random(sampler.random);
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
  sampler.random = seed != 0 ? seed : now_ticks() ^ uint64_t { os::process_id() } << 40;
  mix_in(threads_begun.fetch_add(1, std::memory_order_relaxed) + 1);
  sampler.clock_ns = begin_of_time();
  sampler.begun = true;
}

// A forked child goes on with its parent's generator; so that the two, and any two children, do not
// make the same choices, it takes another turn. With a seed that is the same one every time: it is
// told by how far the parent's ledger was.
void leave_parent() {
  mix_in(settings_in_force.seed != 0 ? 0 : uint64_t{os::process_id()});
  if (const Window* window = thread_slot.window; window != nullptr) {
    mix_in(window->seq << 32 | window->used());
  }
  sampler.last_block = nullptr;
  if (settings_in_force.weigh_time) sampler.clock_ns = now_ns();
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

// A call that did not pass: whether it is to be entered. No, when the thread has only just begun
// to count, and did not come to its first sample at once.
template <By by>
bool chosen(uint64_t step) {
  if (!can_record()) {
    sampler.left = kLongTime;
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

// --- entries ---

// weigh=time: measures what we take for ourselves, so that it is not taken for the program's.
class OwnTime {
 public:
  OwnTime() : from_(settings_in_force.weigh_time && can_record() ? now_ns() : 0) {}
  ~OwnTime() {
    if (from_ != 0 && sampler.clock_ns != 0) sampler.clock_ns += now_ns() - from_;
  }
  OwnTime(const OwnTime&) = delete;
  OwnTime& operator=(const OwnTime&) = delete;

  // Enters how long the thread was busy since its last sample; the next one begins here.
  void enter(Window& window, uint64_t time) {
    constexpr size_t kBytes = format::LongEntry::kLongOverhead + 10;
    if (from_ == 0 || !room_for(window, kBytes)) return;
    uint64_t since = sampler.clock_ns;  // 0: nobody has asked for times until now
    if (since != 0 && from_ > since) {
      format::LongEntry(window.encoder, Kind::kSampleTime, time).number(from_ - since).finish();
    }
    sampler.clock_ns = from_;
  }

 private:
  uint64_t from_;
};

struct Sample {
  Kind kind;
  size_t size;
  size_t alignment;  // of the kinds that have one
};

void remember_last(const void* block) {
  sampler.last_block = block;
  sampler.drawn = sampler.left;
}

void enter(const Sample& sample, const void* block, const Caller& caller) {
  OwnTime own;
  EntryGuard guard;
  if (!guard) return;
  Window& window = *guard;
  if (!add_sampled(address(block))) {
    ++window.block->missed;
    return;
  }
  uint64_t time = stamp(window);
  uint32_t site = site_for(window, caller, time, sample.size);
  own.enter(window, time);
  switch (sample.kind) {
    case Kind::kMalloc:
      format::append_malloc(window.encoder, time, address(block), site, sample.size);
      break;
    case Kind::kPosixMemalign:
    case Kind::kAlignedAlloc:
    case Kind::kMemalign:
      format::append_aligned(window.encoder, sample.kind, time, address(block), site, sample.size,
                             sample.alignment);
      break;
    default:
      format::append_allocation(window.encoder, sample.kind, time, address(block), site,
                                sample.size);
  }
  remember_last(block);
}

template <By by>
void consider(const Sample& sample, const void* block, const Caller& caller) {
  uint64_t step = step_of<by>(sample.size);
  if (block == nullptr || passes(step)) return;
  if (chosen<by>(step)) enter(sample, block, caller);
}

// A reader takes a block for temporary that its thread freed at once: when the entries of the two
// follow one another. Here there may have been calls between them that were not entered; then
// the free of no block tells so. `time` is 0 when it is now.
void enter_free(Kind kind, const void* block, uint64_t time) {
  OwnTime own;
  EntryGuard guard;
  if (!guard) return;
  if (time == 0) time = stamp(*guard);
  format::EncoderState& encoder = (*guard).encoder;
  if (sampler.last_block == block && sampler.left != sampler.drawn) {
    format::append_free(encoder, time, 0);
  }
  if (kind == Kind::kFree) {
    format::append_free(encoder, time, address(block));
  } else {
    format::append_other_free(encoder, kind, time, address(block));
  }
  sampler.last_block = nullptr;
}

// --- what the hooks call ---

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

// `old_block` or `block` is null where it was not sampled, but not both. Without the old one
// nothing happened at `begin`.
void enter_resize(Kind kind, uint64_t begin, const void* old_block, const void* block, size_t size,
                  const Caller& caller) {
  OwnTime own;
  EntryGuard guard;
  if (!guard) return;
  Window& window = *guard;
  uint32_t site = kNoSite;
  if (old_block == nullptr) begin = stamp(window);
  if (block != nullptr && !add_sampled(address(block))) {
    ++window.block->missed;
    block = nullptr;
    if (old_block == nullptr) return;
  }
  // All of it is entered with the earlier time: nothing may move the clock past `begin`.
  if (block != nullptr) {
    site = site_for(window, caller, begin, size);
    own.enter(window, begin);
  }
  uint64_t end = now_units();
  format::append_resize(window.encoder, kind, begin, address(old_block), end, address(block), site,
                        block != nullptr ? size : 0);
  remember_last(block);
}

template <By by>
__attribute__((noinline, cold)) void* resize_sampled(const ResizeKinds& kinds, void* old_block,
                                                     size_t size, const Caller& caller) {
  // A thread's first entry describes the thread, with a time of its own: before ours.
  if (thread_slot.window == nullptr) EntryGuard attach;
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
