#include "runtime/ledger/window.h"

#include <arch_order.h>

#include <cstring>

#include "runtime/ledger/beacon.h"
#include "runtime/ledger/clock.h"
#include "runtime/ledger/count_tables.h"
#include "runtime/ledger/layers_above.h"
#include "runtime/ledger/live_image.h"
#include "runtime/os/os.h"
#include "runtime/os/together.h"

namespace heapledger::runtime {

using format::ExtentHeader;
using format::kMaxShortEntryBytes;
using format::StopReason;

__thread ThreadSlot thread_slot = {};

namespace {

constexpr uint32_t kMaxWindows = 16384;
// How many windows a new thread looks at for one whose owner is gone. With at least one look more
// than one thread's worth, dead windows cannot pile up; and no thread start costs more.
constexpr uint32_t kLooks = 4;
// Further apart than this, two positions are not on the same stack.
constexpr uintptr_t kSameStackBytes = 1 << 20;

struct WindowRegistry {
  std::atomic<uint32_t> count{0};
  std::atomic<uint32_t> hand{0};
  std::atomic<uint32_t> threads{0};
  std::atomic<bool> introduced{false};  // the process is described in this ledger
  Window windows[kMaxWindows];
};
constinit WindowRegistry window_registry = {};

uint32_t window_count() {
  uint32_t count = window_registry.count.load(std::memory_order_acquire);
  return count < kMaxWindows ? count : kMaxWindows;
}

void start_filling(Window& window) {
  ExtentHeader& extent = *window.extent;
  extent.base_time = window.encoder.time;
  extent.thread = window.thread;
  os::keep_store_order();
  extent.seq = window.seq;
  window.encoder.cursor = window.payload();
  window.encoder.pointer = 0;
}

// Appends the window's content to the file and empties it. The order matters to a reader that
// looks at any instant: the chunk is whole before the window changes, and the window counts as
// the old filling, which the chunk replaces, until it is clean.
bool flush(Window& window) {
  if (beacon->alive == 0) return false;  // it is the parent's
  ExtentHeader chunk = *window.extent;
  chunk.bytes = window.used();
  if (!append_chunk(chunk, window.payload())) return false;
  memset(window.payload(), 0, window.used());
  ++window.seq;
  start_filling(window);
  refresh_name(window, window.encoder.time);
  return true;
}

// A window whose owner is gone.
Window* adopt_window(uint32_t tid) {
  uint32_t count = window_count();
  for (uint32_t look = 0; look < kLooks && look < count; ++look) {
    uint32_t index = window_registry.hand.fetch_add(1, std::memory_order_relaxed) % count;
    Window& window = window_registry.windows[index];
    uint32_t owner = window.owner.load(std::memory_order_acquire);
    if (owner == 0 || (owner != tid && os::thread_exists(owner))) continue;
    if (window.owner.compare_exchange_strong(owner, tid, std::memory_order_acq_rel)) {
      return &window;
    }
  }
  return nullptr;
}

Window* new_window(uint32_t tid) {
  uint32_t index = window_registry.count.fetch_add(1, std::memory_order_acq_rel);
  if (index >= kMaxWindows) {
    // Live mode goes on: such threads enter their blocks without a stack.
    if (!live_tables_wanted()) stop_recording(StopReason::kTooManyThreads, 0);
    return nullptr;
  }
  ExtentHeader* extent = add_window();
  if (extent == nullptr) return nullptr;
  Window& window = window_registry.windows[index];
  window.extent = extent;
  window.seq = 0;
  window.encoder.time = now_units();
  window.limit = window.end() - kMaxShortEntryBytes;
  window.fast_limit = clock_choice.counter ? window.limit : nullptr;
  window.run_limit = window.limit - kMostUnstamped * kMaxShortEntryBytes;
  extent->window = index;
  start_filling(window);
  os::keep_store_order();
  extent->magic = format::kWindowMagic;
  window.owner.store(tid, std::memory_order_release);
  return &window;
}

Window* attach_thread() {
  uint32_t tid = filter_expected() ? 0 : os::thread_id();
  // A vfork child has our memory but is not one of our threads; it must not own a window.
  if (tid != 0 && os::process_id() != ledger_header()->pid) return nullptr;
  Window* window = tid == 0 ? nullptr : adopt_window(tid);
  if (window == nullptr) window = new_window(tid);
  if (window == nullptr) return nullptr;
  window->thread = window_registry.threads.fetch_add(1, std::memory_order_relaxed);
  // Before this thread's first entry: whoever gets a block of its knows.
  if (window->thread != 0) __atomic_store_n(&beacon->alone, 0, __ATOMIC_RELEASE);
  window->plain_memo = nullptr;
  window->callers = nullptr;
  thread_slot.window = window;
  __atomic_store_n(&window->slot, &thread_slot, __ATOMIC_RELEASE);
  if (!room_for(*window, sizeof window->name + format::LongEntry::kLongOverhead)) return nullptr;
  if (tid != 0) os::thread_name(window->name);
  if (live_tables_wanted()) {
    window->live_thread = add_live_thread(window->thread, tid, window->name);
    return window;
  }
  thread_is_entered();
  format::LongEntry(window->encoder, format::Kind::kThread, now_units())
      .number(window->thread)
      .number(tid)
      .bytes(window->name, strlen(window->name))
      .finish();
  return window;
}

// Calls that a forked child could not enter before it had a ledger.
HEAPLEDGER_TOGETHER constinit std::atomic<uint64_t> missed_before{0};

Window* miss(Missed missed) {
  if (missed == Missed::kNothing) return nullptr;
  if (beacon->alive == 0) {  // what is mapped is the parent's
    missed_before.fetch_add(1, std::memory_order_relaxed);
  } else if (thread_slot.window != nullptr) {
    ++thread_slot.window->extent->missed;
  } else if (format::FileHeader* header = ledger_header(); header != nullptr) {
    std::atomic_ref<uint64_t>(header->missed).fetch_add(1, std::memory_order_relaxed);
  }
  return nullptr;
}

}  // namespace

uint32_t Window::id() const {
  return static_cast<uint32_t>(this - window_registry.windows);
}

Window* ready_window(Missed missed) {
  if (beacon->alive == 0) begin_in_child();
  if (beacon->recording == 0) return miss(missed);
  Window* window = thread_slot.window;
  if (window == nullptr) window = attach_thread();
  if (window == nullptr) return miss(missed);
  if (!window_registry.introduced.exchange(true)) introduce_process(*window);
  if (window->encoder.cursor >= window->limit && !flush(*window)) return miss(missed);
  return window;
}

bool reclaim_abandoned(uintptr_t position, Missed missed) {
  // A handler that interrupted the other hook runs deeper on the same stack, or on its own.
  uintptr_t busy = thread_slot.busy;
  if (busy == kMuted) return false;
  bool shallower = position > busy && position - busy < kSameStackBytes;
  if (!shallower || filter_expected() || os::on_signal_stack()) {
    miss(missed);
    return false;
  }
  if (Window* window = thread_slot.window; window != nullptr && beacon->alive != 0) {
    memset(window->encoder.cursor, 0, static_cast<size_t>(window->end() - window->encoder.cursor));
  }
  thread_slot.busy = thread_slot.idle;
  return !is_muted();
}

void mute_thread(bool mute) {
  thread_slot.idle = mute ? kMuted : 0;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  // A hook that is at work sets it when it ends.
  if (thread_slot.busy == 0 || thread_slot.busy == kMuted) thread_slot.busy = thread_slot.idle;
  thread_slot.counts = mute ? nullptr : thread_slot.own_counts;
}

bool others_in_hooks() {
  uint32_t own = os::thread_id();
  uint32_t count = window_count();
  for (uint32_t index = 0; index < count; ++index) {
    const Window& window = window_registry.windows[index];
    uint32_t owner = window.owner.load(std::memory_order_acquire);
    const auto* slot = __atomic_load_n(&window.slot, __ATOMIC_ACQUIRE);
    if (owner == 0 || owner == own || slot == nullptr) continue;
    // The lower half is enough: no stack is at a multiple of 4 GiB.
    const uintptr_t* busy = &slot->busy;
    if (os::is_another_word(busy, 0) && os::is_another_word(busy, kMuted) &&
        os::thread_exists(owner)) {
      return true;
    }
  }
  return false;
}

bool holds_thread(uintptr_t start, uintptr_t end) {
  constexpr uint32_t kMaxLooks = 1024;  // for each mapping there is
  uint32_t count = window_count();
  for (uint32_t index = 0; index < count && index < kMaxLooks; ++index) {
    const Window& window = window_registry.windows[index];
    auto slot = reinterpret_cast<uintptr_t>(__atomic_load_n(&window.slot, __ATOMIC_RELAXED));
    if (slot < start || slot >= end) continue;
    uint32_t owner = window.owner.load(std::memory_order_acquire);
    if (owner != 0 && owner != ledger_header()->pid && os::thread_exists(owner)) return true;
  }
  return false;
}

bool room_for(Window& window, size_t bytes) {
  window.unstamped = 0;  // their room is used up
  size_t needed = bytes + kMaxShortEntryBytes;
  if (static_cast<size_t>(window.end() - window.encoder.cursor) >= needed) return true;
  return needed <= format::kPayloadBytes && flush(window);
}

void refresh_name(Window& window, uint64_t time) {
  if (filter_expected()) return;
  char name[sizeof window.name];
  os::thread_name(name);
  if (strcmp(name, window.name) == 0) return;
  memcpy(window.name, name, sizeof name);
  if (live_tables_wanted()) return rename_live_thread(window.live_thread, name);
  if (!room_for(window, sizeof name + format::LongEntry::kLongOverhead)) return;
  format::LongEntry(window.encoder, format::Kind::kThreadName, time)
      .bytes(name, strlen(name))
      .finish();
}

namespace {

HEAPLEDGER_TOGETHER constinit ParentPosition at_fork = {UINT32_MAX, 0, 0};
HEAPLEDGER_TOGETHER constinit bool left_parent = false;

ParentPosition own_position() {
  const Window* window = thread_slot.window;
  if (window == nullptr) return {UINT32_MAX, 0, 0};
  return {window->id(), window->used(), window->seq};
}

}  // namespace

void leave_parents_window() {
  at_fork = own_position();
  if (hook_at_work() && thread_slot.window != nullptr && !filter_expected()) {
    os::make_private(thread_slot.window->extent, format::kExtentBytes);
  }
  left_parent = true;
  if (thread_slot.counts != nullptr && !filter_expected()) forget_count_tables();
  thread_slot.leave_ledger();
}

void enter_missed_before() {
  uint64_t missed = missed_before.exchange(0, std::memory_order_relaxed);
  std::atomic_ref<uint64_t>(ledger_header()->missed).fetch_add(missed, std::memory_order_relaxed);
}

ParentPosition parent_position() {
  ParentPosition position = left_parent ? at_fork : own_position();
  left_parent = false;
  return position;
}

void forget_windows() {
  uint32_t count = window_count();
  for (uint32_t index = 0; index < count; ++index) {
    Window& window = window_registry.windows[index];
    if (window.extent != nullptr) os::unmap(window.extent, format::kExtentBytes);
    window.extent = nullptr;
    window.owner.store(0, std::memory_order_relaxed);
  }
  window_registry.count.store(0, std::memory_order_relaxed);
  window_registry.hand.store(0, std::memory_order_relaxed);
  window_registry.threads.store(0, std::memory_order_relaxed);
  window_registry.introduced.store(false, std::memory_order_relaxed);
  thread_slot.leave_ledger();
}

}  // namespace heapledger::runtime
