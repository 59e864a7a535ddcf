// Live mode: what is alive, and nothing of the past. Each allocation makes a record in the live
// image (live_blocks.h) and adds to its site's account; its end erases the record. No entry is
// made, so the ledger does not grow with the run.
//
// With live=sampled only a random choice of blocks is kept, chosen as in sample mode; paused, no
// new ones are, but the end of those that are known is still noticed.
//
// A handler that interrupts a hook of its own thread, and a thread that finds no window, enter
// their blocks without a stack; what they free is found as everywhere.
#include "runtime/ledger/ending.h"
#include "runtime/ledger/entry_guard.h"
#include "runtime/ledger/live_image.h"
#include "runtime/modes/by_event.h"
#include "runtime/modes/control.h"
#include "runtime/modes/live_accounts.h"
#include "runtime/modes/live_blocks.h"
#include "runtime/modes/sample_choice.h"
#include "runtime/unwind/quick_site.h"

namespace heapledger::runtime {
namespace {

enum class Which { kAll, kByBytes, kByCalls, kNone };

template <Which which>
constexpr By kBy = which == Which::kByCalls ? By::kCalls : By::kBytes;

uint64_t address(const void* block) {
  return reinterpret_cast<uint64_t>(block);
}

uint32_t image_time(uint64_t units) {
  uint64_t ticks = units << clock_choice.shift;
  uint64_t start = live_header->start.ticks;
  if (ticks <= start) return 0;
  uint64_t time = (ticks - start) >> live_header->time_shift;
  return static_cast<uint32_t>(time < UINT32_MAX ? time : UINT32_MAX);
}

// Reads the clock, or not, if that was done only just now: a record has milliseconds.
__attribute__((always_inline)) inline void stamp_seldom(LiveCache& cache, Window& window) {
  if (cache.unstamped != 0) {
    --cache.unstamped;
    return;
  }
  uint64_t time = stamp(window);
  cache.unstamped = unstamped_run(cache.next_run, time - cache.time);
  cache.time = time;
  cache.image_time = image_time(time);
}

__attribute__((always_inline)) inline void keep(LiveCache* cache, const LiveFacts& facts) {
  if (__builtin_expect(add_live_record(cache, facts), 1)) {
    add_to_account(facts.site, facts.size);
  } else {
    miss_live_block();
  }
}

// The same for a thread for whose cache there is no memory.
__attribute__((noinline, cold)) void enter_without_cache(Window& window, const void* block,
                                                         size_t size, HEAPLEDGER_CALLER) {
  uint64_t time = stamp(window);
  uint32_t site = site_for(window, time, size, pc, sp, bp);
  keep(nullptr, {address(block), size, site, window.live_thread, image_time(time)});
}

__attribute__((always_inline)) inline void enter_in(Window& window, const void* block, size_t size,
                                                    HEAPLEDGER_CALLER) {
  LiveCache* cache = live_cache_of(window);
  if (__builtin_expect(cache == nullptr, 0)) {
    return enter_without_cache(window, block, size, pc, sp, bp);
  }
  expect_live_record(*cache, address(block));
  stamp_seldom(*cache, window);
  uint32_t site = quick_site_for(window, cache->time, size, pc, sp, bp);
  keep(cache, {address(block), size, site, window.live_thread, cache->image_time});
}

// The end of the block at `at`, whose record was found in `place`.
//
// Another thread may have resized the block that was here before: then there are two records for a
// while, and each of the two threads erases one of them. Whoever finds that the other was quicker
// takes the one that is left.
__attribute__((always_inline)) inline void erase(Window* window, LivePlace place, uint64_t at) {
  LiveFacts facts;
  LiveCache* cache = window == nullptr ? nullptr : live_cache_of(*window);
  while (place) {
    if (__builtin_expect(remove_live_record(cache, place, facts), 1)) {
      return take_from_account(facts.site, facts.size);
    }
    place = find_live_record(at);
  }
}

// The hot path: the window, if nothing has to be done first. The caller ends with quick_end.
__attribute__((always_inline)) inline Window* open_quickly() {
  if (__builtin_expect(thread_slot.busy != 0, 0)) return nullptr;
  thread_slot.busy = os::stack_position();
  std::atomic_signal_fence(std::memory_order_seq_cst);
  Window* window = thread_slot.window;
  if (__builtin_expect(window != nullptr && beacon->recording != 0, 1)) return window;
  thread_slot.busy = thread_slot.idle;
  return nullptr;
}

// Whether this process has tables.
bool has_tables() {
  return beacon->alive != 0 && live_image_ready.load(std::memory_order_acquire);
}

// Whether its calls belong into them, though this thread has no window open.
bool without_window() {
  return has_tables() && beacon->recording != 0;
}

__attribute__((noinline, cold)) void enter_slowly(const void* block, size_t size, uint64_t pc,
                                                  uint64_t sp, uint64_t bp) {
  stand_still_if_ending();
  EntryGuard guard;
  if (guard) return enter_in(*guard, block, size, pc, sp, bp);
  if (is_muted() || !has_tables()) return;
  if (beacon->recording == 0) return miss_live_block();
  // No clock: a filter may forbid it.
  keep(nullptr, {address(block), size, 0, format::kLiveOtherThreads, 0});
}

__attribute__((noinline, cold)) void erase_slowly(const void* block) {
  stand_still_if_ending();
  EntryGuard guard;
  if (!guard && !without_window()) return;
  erase(guard ? &*guard : nullptr, find_live_record(address(block)), address(block));
}

void enter(const void* block, size_t size, HEAPLEDGER_CALLER) {
  Window* window = open_quickly();
  if (__builtin_expect(window == nullptr, 0)) return enter_slowly(block, size, pc, sp, bp);
  enter_in(*window, block, size, pc, sp, bp);
  quick_end();
}

// Another thread may have got the address meanwhile, and have given it back.
__attribute__((always_inline)) inline void erase_resized(LivePlace place, const void* block) {
  EntryGuard guard;
  if (!guard && !without_window()) return;
  erase(guard ? &*guard : nullptr, place, address(block));
}

__attribute__((noinline, cold)) void* enter_malloc_slowly(void* block, size_t size,
                                                          HEAPLEDGER_CALLER) {
  enter_slowly(block, size, pc, sp, bp);
  return block;
}

__attribute__((noinline, cold)) void free_slowly(void* block) {
  erase_slowly(block);
  real_heap.free(block);
}

// The quick path of a free. False: it takes more than that, and nothing has changed.
__attribute__((always_inline)) inline bool erase_quickly(const Window& window, const void* block) {
  LiveCache* cache = window.live_cache;
  if (__builtin_expect(cache == nullptr || !has_room(*cache), 0)) return false;
  LiveFacts facts;
  LivePlace place = find_live_record(address(block));
  if (__builtin_expect(!place, 0)) return true;
  uint32_t number = take_out_live_record(place, facts);
  if (__builtin_expect(number == kNoRecord, 0)) return false;
  put_at_hand(*cache, number);
  take_from_account(facts.site, facts.size);
  return true;
}

template <Which which>
struct Live : ByEvent<Live<which>> {
  template <Function function>
  HEAPLEDGER_INLINE void before() {
    // With every block, memory samples look after orders.
    constexpr Act kAct = act_of(function);
    constexpr bool kLooks = kAct == Act::kDeath ? which == Which::kNone
                                                : which != Which::kAll && kAct != Act::kQuestion;
    if (kLooks && __builtin_expect(orders_waiting(), 0)) look_at_orders();
  }

  template <Function>
  HEAPLEDGER_INLINE void born(void* block, const Asked& asked, const Caller& caller) {
    consider(block, asked.size, caller);
  }

  template <Function>
  HEAPLEDGER_INLINE void died(void* block) {
    Window* window = open_quickly();
    if (__builtin_expect(window == nullptr, 0)) return erase_slowly(block);
    erase(window, find_live_record(address(block)), address(block));
    quick_end();
  }

  // The old block is found before it is gone.
  template <Function>
  HEAPLEDGER_INLINE LivePlace resizing(void* old_block) {
    if (beacon->alive == 0) EntryGuard begin(Missed::kNothing);
    return without_window() ? find_live_record(address(old_block)) : LivePlace{};
  }

  template <Function>
  HEAPLEDGER_INLINE void resized(LivePlace place, void* old_block, void* block, size_t size,
                                 const Caller& caller) {
    if (place) erase_resized(place, old_block);
    consider(block, size, caller);
  }

  template <Function>
  HEAPLEDGER_INLINE void freed(LivePlace place, void* old_block) {
    if (place) erase_resized(place, old_block);
  }

 private:
  HEAPLEDGER_INLINE void consider(const void* block, size_t size, const Caller& caller) {
    if constexpr (which == Which::kNone) return;
    if constexpr (which == Which::kByBytes || which == Which::kByCalls) {
      uint64_t step = step_of<kBy<which>>(size);
      if (passes(step) || !chosen<kBy<which>>(step)) return;
    }
    enter(block, size, caller.pc, caller.sp, caller.bp);
  }
};

// malloc and free, nearly all of the traffic, by hand: what cannot be done at once is left to
// functions that do not come back.
struct LiveOfAll : Live<Which::kAll> {
  static void* malloc(size_t size, HEAPLEDGER_CALLER) {
    void* block = real_heap.malloc(size);
    if (__builtin_expect(block == nullptr, 0)) return nullptr;
    Window* window = open_quickly();
    if (__builtin_expect(window == nullptr, 0)) return enter_malloc_slowly(block, size, pc, sp, bp);
    enter_in(*window, block, size, pc, sp, bp);
    quick_end();
    return block;
  }

  static void free(void* block, uint64_t, uint64_t, uint64_t) {
    if (__builtin_expect(!is_block(block), 0)) return;
    // What the real free looks at first.
    __builtin_prefetch(static_cast<const char*>(block) - 16);
    Window* window = open_quickly();
    if (__builtin_expect(window == nullptr, 0)) return free_slowly(block);
    const bool done = erase_quickly(*window, block);
    quick_end();
    if (__builtin_expect(!done, 0)) return free_slowly(block);
    real_heap.free(block);
  }
};

}  // namespace

constinit const Mode kLiveMode = make_mode<LiveOfAll>();
constinit const Mode kLiveBytesMode = make_mode<Live<Which::kByBytes>>();
constinit const Mode kLiveCallsMode = make_mode<Live<Which::kByCalls>>();
constinit const Mode kLivePausedMode = make_mode<Live<Which::kNone>>();

}  // namespace heapledger::runtime
