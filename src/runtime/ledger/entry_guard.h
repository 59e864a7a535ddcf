// Opens the thread's window for one entry. While it is open, the thread's other hooks (from a
// signal handler) pass through, counted. There are two ways in: EntryGuard, which does whatever is
// needed, and quick_window, which only says whether nothing is.
#pragma once

#include <arch_stack.h>

#include "runtime/ledger/beacon.h"
#include "runtime/ledger/memory_sample.h"
#include "runtime/ledger/window.h"

namespace heapledger::runtime {

class EntryGuard {
 public:
  // What is missing in the ledger if no entry can be made.
  explicit EntryGuard(Missed missed = Missed::kCall) {
    uintptr_t position = os::stack_position();
    if (thread_slot.busy != 0 && !reclaim_abandoned(position, missed)) return;
    thread_slot.busy = position;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    Window* window = thread_slot.window;
    if (window == nullptr || window->encoder.cursor >= window->limit || beacon->recording == 0) {
      window = ready_window(missed);
      if (window == nullptr) thread_slot.busy = thread_slot.idle;
    }
    window_ = window;
  }

  ~EntryGuard() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (window_ != nullptr) thread_slot.busy = thread_slot.idle;
  }

  EntryGuard(const EntryGuard&) = delete;
  EntryGuard& operator=(const EntryGuard&) = delete;

  explicit operator bool() const { return window_ != nullptr; }
  Window& operator*() const { return *window_; }

 private:
  Window* window_ = nullptr;
};

// Held while it is not known yet whether the calling thread may read the clock and make system
// calls from now on: its hooks, called by signal handlers, pass through, counted.
class ThreadHeld {
 public:
  ThreadHeld() : before_(thread_slot.busy) {
    thread_slot.busy = kHeld;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  ~ThreadHeld() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    thread_slot.busy = before_ > kMuted ? before_ : thread_slot.idle;
  }
  ThreadHeld(const ThreadHeld&) = delete;
  ThreadHeld& operator=(const ThreadHeld&) = delete;

 private:
  uintptr_t before_;
};

// Whether the clock may be read before a window is open: while recording, and in a forked child
// that can begin to.
inline bool clock_allowed() {
  if (thread_slot.busy == kHeld) return false;
  return beacon->recording != 0 || (beacon->alive == 0 && !filter_expected());
}

inline uint64_t time_if_allowed() {
  return clock_allowed() ? now_units() : 0;
}

// Reading the clock costs as much as all the rest of an entry. While one thread is alone, the
// order of its entries is known anyway; so when they come thick and fast, only every eighth is
// stamped, and those between get its time. Large blocks always have their own.
inline constexpr uint32_t kUnstampedRun = 7;
inline constexpr uint64_t kThickUnits = os::rough_units(3000);  // since the last stamp
inline constexpr size_t kAlwaysStampedBytes = 4096;

inline bool is_alone() {
  return __atomic_load_n(&beacon->alone, __ATOMIC_RELAXED) != 0;
}

// The hot path: the window and the time, if an entry can be made at once: recording is on, the
// window has room, no sample is due, and no other hook of this thread is at work. The caller then
// appends one entry and calls quick_end. Else null, with nothing changed.
__attribute__((always_inline)) inline Window* quick_window(uint64_t& time, size_t bytes) {
  if (__builtin_expect(thread_slot.busy != 0, 0)) return nullptr;
  // Before the look at the window: a handler that comes in between may fill it.
  thread_slot.busy = os::stack_position();
  std::atomic_signal_fence(std::memory_order_seq_cst);
  Window* window = thread_slot.window;
  if (__builtin_expect(window != nullptr && window->encoder.cursor < window->fast_limit &&
                           beacon->recording != 0,
                       1)) {
    uint64_t last = window->encoder.time;
    if (window->unstamped != 0 && bytes < kAlwaysStampedBytes && is_alone()) {
      --window->unstamped;
      time = last;
      return window;
    }
    time = os::counter_ticks() >> os::kTickShift;
    if (__builtin_expect(time < memory_due.load(std::memory_order_relaxed), 1)) {
      window->unstamped = time - last < kThickUnits ? kUnstampedRun : 0;
      return window;
    }
  }
  thread_slot.busy = thread_slot.idle;
  return nullptr;
}

__attribute__((always_inline)) inline void quick_end() {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  thread_slot.busy = thread_slot.idle;
}

}  // namespace heapledger::runtime
