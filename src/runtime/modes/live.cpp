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
#include "runtime/modes/live_blocks.h"
#include "runtime/modes/sample_choice.h"

namespace heapledger::runtime {
namespace {

using format::LiveAccount;
using format::LiveKind;

enum class Which { kAll, kByBytes, kByCalls, kNone };

template <Which which>
constexpr By kBy = which == Which::kByCalls ? By::kCalls : By::kBytes;

uint64_t address(const void* block) {
  return reinterpret_cast<uint64_t>(block);
}

// --- accounts ---

constexpr unsigned kAccountBits = 14;

LiveAccount* account_of(uint32_t site) {
  void* part = known_live_part(live_account_places, site >> kAccountBits);
  if (__builtin_expect(part == nullptr, 0)) {
    part = live_part(LiveKind::kAccounts, site >> kAccountBits);
    if (part == nullptr) return nullptr;
  }
  return static_cast<LiveAccount*>(part) + (site & ((1u << kAccountBits) - 1));
}

uint64_t kept_size(uint64_t size) {
  return size < format::kLiveMaxSize ? size : format::kLiveMaxSize;
}

void add_to_account(uint32_t site, uint64_t size) {
  LiveAccount* account = account_of(site);
  if (__builtin_expect(account == nullptr, 0)) return;
  __atomic_fetch_add(&account->calls, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&account->bytes, size, __ATOMIC_RELAXED);
  uint64_t live = __atomic_add_fetch(&account->live, kept_size(size), __ATOMIC_RELAXED);
  uint64_t peak = __atomic_load_n(&account->peak, __ATOMIC_RELAXED);
  // Signed: where there was no memory for an account at first, it may be below zero.
  while (static_cast<int64_t>(live) > static_cast<int64_t>(peak) &&
         !__atomic_compare_exchange_n(&account->peak, &peak, live, true, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {
  }
}

void take_from_account(uint32_t site, uint64_t size) {
  LiveAccount* account = account_of(site);
  if (account != nullptr) __atomic_fetch_sub(&account->live, size, __ATOMIC_RELAXED);
}

// --- blocks ---

uint32_t image_time(uint64_t units) {
  uint64_t ticks = units << clock_choice.shift;
  uint64_t start = live_header->start.ticks;
  if (ticks <= start) return 0;
  uint64_t time = (ticks - start) >> live_header->time_shift;
  return static_cast<uint32_t>(time < UINT32_MAX ? time : UINT32_MAX);
}

void keep(Window* window, const LiveFacts& facts) {
  if (add_live_record(window, facts)) {
    add_to_account(facts.site, facts.size);
  } else {
    miss_live_block();
  }
}

void enter_in(Window& window, const void* block, size_t size, HEAPLEDGER_CALLER) {
  uint64_t time = stamp(window);
  uint32_t site = site_for(window, time, size, pc, sp, bp);
  keep(&window, {address(block), size, site, window.live_thread, image_time(time)});
}

bool erase(Window* window, LivePlace place) {
  LiveFacts facts;
  if (!remove_live_record(window, place, facts)) return false;
  take_from_account(facts.site, facts.size);
  return true;
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
  if (LivePlace place = find_live_record(address(block))) erase(guard ? &*guard : nullptr, place);
}

void enter(const void* block, size_t size, HEAPLEDGER_CALLER) {
  Window* window = open_quickly();
  if (__builtin_expect(window == nullptr, 0)) return enter_slowly(block, size, pc, sp, bp);
  enter_in(*window, block, size, pc, sp, bp);
  quick_end();
}

// Somebody else may have got the address meanwhile, and have given it back: then there were two
// records, he has erased ours, and his is the one that is left.
__attribute__((always_inline)) inline void erase_resized(LivePlace place, const void* block) {
  EntryGuard guard;
  if (!guard && !without_window()) return;
  Window* window = guard ? &*guard : nullptr;
  if (erase(window, place)) return;
  if (LivePlace other = find_live_record(address(block))) erase(window, other);
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
    if (LivePlace place = find_live_record(address(block))) erase(window, place);
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

}  // namespace

constinit const Mode kLiveMode = make_mode<Live<Which::kAll>>();
constinit const Mode kLiveBytesMode = make_mode<Live<Which::kByBytes>>();
constinit const Mode kLiveCallsMode = make_mode<Live<Which::kByCalls>>();
constinit const Mode kLivePausedMode = make_mode<Live<Which::kNone>>();

}  // namespace heapledger::runtime
