// Opens the calling thread's window for what the program, or somebody outside, asks to be entered:
// a marker, a change of mode. Unlike a heap hook this works in a muted thread too.
#pragma once

#include "runtime/ledger/clock.h"
#include "runtime/ledger/entry_guard.h"

namespace heapledger::runtime {

// A window that is open already, inside a hook, and the time of the entry being made there.
struct OpenWindow {
  Window* window = nullptr;  // null: none is
  uint64_t time = 0;
};

class LiftMute {
 public:
  LiftMute() {
    if (thread_slot.busy == kMuted) thread_slot.busy = 0;
  }
  ~LiftMute() {
    if (thread_slot.busy == 0) thread_slot.busy = thread_slot.idle;
  }
  LiftMute(const LiftMute&) = delete;
  LiftMute& operator=(const LiftMute&) = delete;
};

// Calls `enter(window, time)` with room for a long entry of `bytes`. False: no entry can be made
// now, because there is no ledger, or because we are in a handler that interrupted a hook.
template <typename Enter>
bool enter_note(OpenWindow open, size_t bytes, Enter enter) {
  size_t room = bytes + format::LongEntry::kLongOverhead;
  if (open.window != nullptr) {
    if (!room_for(*open.window, room)) return false;
    enter(*open.window, open.time);
    return true;
  }
  if (hook_at_work()) return false;
  LiftMute lift;
  EntryGuard guard(Missed::kNothing);
  if (!guard || !room_for(*guard, room)) return false;
  enter(*guard, now_units());
  return true;
}

// A moment with a name; long names are cut.
bool enter_marker(OpenWindow open, const char* name);

}  // namespace heapledger::runtime
