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
  EntryGuard() {
    uintptr_t position = os::stack_position();
    if (thread_slot.busy != 0 && !reclaim_abandoned(position)) return;
    thread_slot.busy = position;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    Window* window = thread_slot.window;
    if (window == nullptr || window->encoder.cursor >= window->limit || beacon->recording == 0) {
      window = ready_window();
      if (window == nullptr) thread_slot.busy = 0;
    }
    window_ = window;
  }

  ~EntryGuard() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (window_ != nullptr) thread_slot.busy = 0;
  }

  EntryGuard(const EntryGuard&) = delete;
  EntryGuard& operator=(const EntryGuard&) = delete;

  explicit operator bool() const { return window_ != nullptr; }
  Window& operator*() const { return *window_; }

 private:
  Window* window_ = nullptr;
};

// The hot path: the window and the time, if an entry can be made at once: recording is on, the
// window has room, no sample is due, and no other hook of this thread is at work. The caller then
// appends one entry and calls quick_end. Else null, with nothing changed.
__attribute__((always_inline)) inline Window* quick_window(uint64_t& time) {
  if (__builtin_expect(thread_slot.busy != 0, 0)) return nullptr;
  // Before the look at the window: a handler that comes in between may fill it.
  thread_slot.busy = os::stack_position();
  std::atomic_signal_fence(std::memory_order_seq_cst);
  Window* window = thread_slot.window;
  if (__builtin_expect(window != nullptr && window->encoder.cursor < window->fast_limit &&
                           beacon->recording != 0,
                       1)) {
    time = os::counter_ticks() >> os::kTickShift;
    if (__builtin_expect(time < memory_due.load(std::memory_order_relaxed), 1)) return window;
  }
  thread_slot.busy = 0;
  return nullptr;
}

__attribute__((always_inline)) inline void quick_end() {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  thread_slot.busy = 0;
}

}  // namespace heapledger::runtime
