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
#include "runtime/modes/control.h"
#include "runtime/modes/live_blocks.h"
#include "runtime/modes/mode.h"
#include "runtime/modes/real_calls.h"
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

template <Which which>
__attribute__((always_inline)) inline void consider(const void* block, size_t size,
                                                    HEAPLEDGER_CALLER) {
  if (__builtin_expect(block == nullptr, 0) || which == Which::kNone) return;
  if constexpr (which == Which::kByBytes || which == Which::kByCalls) {
    uint64_t step = step_of<kBy<which>>(size);
    if (passes(step) || !chosen<kBy<which>>(step)) return;
  }
  enter(block, size, pc, sp, bp);
}

template <Which which>
__attribute__((always_inline)) inline void look() {
  // With every block, memory samples look after orders.
  if (which != Which::kAll && __builtin_expect(orders_waiting(), 0)) look_at_orders();
}

// --- what the hooks call ---

template <Which which>
void* live_malloc(size_t size, HEAPLEDGER_CALLER) {
  look<which>();
  void* block = real_heap.malloc(size);
  consider<which>(block, size, pc, sp, bp);
  return block;
}

template <Which which>
void live_free(void* block, uint64_t, uint64_t, uint64_t) {
  if (__builtin_expect(block == nullptr || in_early_arena(block), 0)) return;
  if (which == Which::kNone) look<which>();
  Window* window = open_quickly();
  if (__builtin_expect(window == nullptr, 0)) {
    erase_slowly(block);
  } else {
    if (LivePlace place = find_live_record(address(block))) erase(window, place);
    quick_end();
  }
  real_heap.free(block);
}

template <Which which>
void* live_calloc(size_t count, size_t size, HEAPLEDGER_CALLER) {
  look<which>();
  void* block = real_heap.calloc(count, size);
  consider<which>(block, count * size, pc, sp, bp);
  return block;
}

// Somebody else may have got the address meanwhile, and have given it back: then there were two
// records, he has erased ours, and his is the one that is left.
void erase_old(Window* window, LivePlace place, const void* block) {
  if (erase(window, place)) return;
  if (LivePlace other = find_live_record(address(block))) erase(window, other);
}

// The old block is found before it is gone.
template <Which which>
void* resize(void* old_block, size_t size, HEAPLEDGER_CALLER) {
  look<which>();
  bool had_block = old_block != nullptr && !in_early_arena(old_block);
  if (had_block && beacon->alive == 0) EntryGuard begin(Missed::kNothing);
  bool may_be_known = had_block && without_window();
  LivePlace place = may_be_known ? find_live_record(address(old_block)) : LivePlace{};
  void* block = real_realloc(old_block, size);
  if (block == nullptr && size != 0) return nullptr;
  if (place) {
    EntryGuard guard;
    if (guard || without_window()) erase_old(guard ? &*guard : nullptr, place, old_block);
  }
  consider<which>(block, size, pc, sp, bp);
  return block;
}

template <Which which>
void* live_realloc(void* block, size_t size, HEAPLEDGER_CALLER) {
  return resize<which>(block, size, pc, sp, bp);
}

template <Which which>
void* live_reallocarray(void* block, size_t count, size_t size, HEAPLEDGER_CALLER) {
  size_t bytes;
  return array_bytes(count, size, bytes) ? resize<which>(block, bytes, pc, sp, bp) : nullptr;
}

template <Which which>
int live_posix_memalign(void** result, size_t alignment, size_t size, HEAPLEDGER_CALLER) {
  look<which>();
  int error = real_heap.posix_memalign(result, alignment, size);
  if (error == 0) consider<which>(*result, size, pc, sp, bp);
  return error;
}

template <Which which>
void* live_aligned_alloc(size_t alignment, size_t size, HEAPLEDGER_CALLER) {
  look<which>();
  void* block = real_heap.aligned_alloc(alignment, size);
  consider<which>(block, size, pc, sp, bp);
  return block;
}

template <Which which>
void* live_memalign(size_t alignment, size_t size, HEAPLEDGER_CALLER) {
  look<which>();
  void* block = real_heap.memalign(alignment, size);
  consider<which>(block, size, pc, sp, bp);
  return block;
}

template <Which which>
void* live_valloc(size_t size, HEAPLEDGER_CALLER) {
  look<which>();
  void* block = real_heap.valloc(size);
  consider<which>(block, size, pc, sp, bp);
  return block;
}

template <Which which>
void* live_pvalloc(size_t size, HEAPLEDGER_CALLER) {
  look<which>();
  void* block = real_heap.pvalloc(size);
  consider<which>(block, size, pc, sp, bp);
  return block;
}

template <Which which>
void live_free_sized(void* block, size_t, HEAPLEDGER_CALLER) {
  live_free<which>(block, pc, sp, bp);
}

template <Which which>
void live_free_aligned_sized(void* block, size_t, size_t, HEAPLEDGER_CALLER) {
  live_free<which>(block, pc, sp, bp);
}

size_t live_malloc_usable_size(void* block, uint64_t, uint64_t, uint64_t) {
  return real_usable_size(block);
}

template <Which which>
constexpr Mode kLive = {
    live_malloc<which>,        live_free<which>,         live_calloc<which>,
    live_realloc<which>,       live_reallocarray<which>, live_posix_memalign<which>,
    live_aligned_alloc<which>, live_memalign<which>,     live_valloc<which>,
    live_pvalloc<which>,       live_free_sized<which>,   live_free_aligned_sized<which>,
    live_malloc_usable_size,
};

}  // namespace

const Mode kLiveMode = kLive<Which::kAll>;
const Mode kLiveBytesMode = kLive<Which::kByBytes>;
const Mode kLiveCallsMode = kLive<Which::kByCalls>;
const Mode kLivePausedMode = kLive<Which::kNone>;

}  // namespace heapledger::runtime
