// Opens the thread's window for one entry. While it is open, the thread's other hooks (from a
// signal handler) pass through, counted. There are two ways in: EntryGuard, which does whatever is
// needed, and enter_quickly, which does nothing where anything is.
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
      if (window == nullptr) {
        thread_slot.busy = thread_slot.idle;
        return;
      }
    }
    window->unstamped = 0;  // their room may be used up
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
// order of its entries is known anyway; so when they come thick and fast, only some are stamped,
// and those between get the time of the one before. Large blocks always have their own.
inline constexpr uint64_t kThickUnits = os::rough_units(3000);  // since the last stamp
inline constexpr uint64_t kPauseUnits = 8 * kThickUnits;
inline constexpr size_t kAlwaysStampedBytes = 4096;

// How many entries have the time of the one that was just stamped, so long after the last one. Runs
// get longer as a burst goes on, shorter where entries come more slowly, and begin anew after a
// pause: so no more blocks have the time of a burst by mistake than there were in it.
__attribute__((always_inline)) inline uint32_t unstamped_run(uint32_t& next_run, uint64_t since) {
  const uint32_t run = next_run;
  if (since < kThickUnits) {
    next_run = (2 * run + 1) & kMostUnstamped;
    return run;
  }
  next_run = since < kPauseUnits ? run / 2 : 0;
  return 0;
}

// Whether the calling thread's next entry, of a block of that size, would need no stamp by now.
__attribute__((always_inline)) inline bool goes_unstamped(size_t bytes) {
  const Window* window = thread_slot.window;
  return thread_slot.busy == 0 && window != nullptr && window->unstamped != 0 &&
         bytes < kAlwaysStampedBytes && __atomic_load_n(&beacon->alone, __ATOMIC_RELAXED) != 0;
}

// The hot path: calls `enter(window, time)`, which appends one entry, if that can be made at once:
// recording is on, the window has room, no sample is due, and no other hook of this thread is at
// work. The time is format::SameTime or units. `enter` may find that it cannot, and say false.
// False: no entry was made, and EntryGuard has to be asked for one.
template <typename Enter>
__attribute__((always_inline)) inline bool enter_quickly(size_t bytes, Enter enter) {
  if (__builtin_expect(thread_slot.busy != 0, 0)) return false;
  // Before the look at the window: a handler that comes in between may fill it.
  os::keep_stack_position(thread_slot.busy);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  bool entered = false;
  if (Window* window = thread_slot.window; __builtin_expect(window != nullptr, 1)) {
    const uint32_t unstamped = window->unstamped;
    if (unstamped != 0 && bytes < kAlwaysStampedBytes &&
        __atomic_load_n(&beacon->alone, __ATOMIC_RELAXED) != 0) {
      window->unstamped = unstamped - 1;
      entered = enter(*window, format::SameTime());
    } else if (window->encoder.cursor < window->fast_limit && beacon->recording != 0) {
      uint64_t time = os::counter_ticks() >> os::kTickShift;
      if (__builtin_expect(time < memory_due.load(std::memory_order_relaxed), 1)) {
        const uint32_t run = unstamped_run(window->next_run, time - window->encoder.time);
        window->unstamped = window->encoder.cursor < window->run_limit ? run : 0;
        entered = enter(*window, time);
      }
    }
  }
  std::atomic_signal_fence(std::memory_order_seq_cst);
  thread_slot.busy = thread_slot.idle;
  return entered;
}

// What units a time is.
__attribute__((always_inline)) inline uint64_t units_of(const Window&, uint64_t time) {
  return time;
}
__attribute__((always_inline)) inline uint64_t units_of(const Window& window, format::SameTime) {
  return window.encoder.time;
}

__attribute__((always_inline)) inline void quick_end() {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  thread_slot.busy = thread_slot.idle;
}

}  // namespace heapledger::runtime
