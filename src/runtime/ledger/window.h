// The windows: where each thread appends its entries.
//
// A window belongs to one live thread at a time. It is an extent of the ledger file, mapped shared,
// so whatever a killed process leaves in it is in the file. A thread keeps its window until the
// kernel says that the thread is gone; only then may a new thread take it over. So there is no
// thread-exit handler, and a thread that allocates after its destructors ran is like any other.
//
// Thread safety: a Window is used by its owner alone, with ThreadSlot::busy set.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "format/entry_encoder.h"
#include "format/layout.h"
#include "runtime/ledger/file.h"

namespace heapledger::format {
struct CountTable;
}

namespace heapledger::runtime {

struct StackMemo;         // of the layer above
struct CallerSites;       // likewise
struct LiveCache;         // likewise
struct ThreadStatistics;  // likewise
struct ThreadSlot;

struct alignas(64) Window {
  // What the quick paths use is one line of memory.
  format::EncoderState encoder;
  // Below it a short entry fits; null where the quick path may not be taken.
  unsigned char* fast_limit;
  unsigned char* run_limit;  // below it the longest run of them fits
  // So many more entries may have the time of the one before; there is room for them.
  uint32_t unstamped;
  uint32_t next_run;      // see unstamped_run
  StackMemo* plain_memo;  // `memo`, where it is the thread's and nothing else is to be asked
  CallerSites* callers;   // likewise, where the caller is all that is kept of a stack (depth=1)

  unsigned char* limit;  // as fast_limit, but never null
  uint32_t thread;
  format::ExtentHeader* extent;
  uint64_t seq;  // as in the extent; the extent's may be the parent's by now in a forked child
  std::atomic<uint32_t> owner;  // thread id
  char name[16];                // of the thread, as last entered
  StackMemo* memo;              // its last stack; stays with the window
  char* line;                   // where log mode puts its lines together; stays, too
  LiveCache* live_cache;        // live mode: free records at hand; stays, too
  uint32_t live_thread;         // live mode: the thread's number in the tables
  const ThreadSlot* slot;       // of its thread, or of one that is gone, with its memory

  unsigned char* payload() const { return reinterpret_cast<unsigned char*>(extent + 1); }
  unsigned char* end() const { return payload() + format::kPayloadBytes; }
  uint32_t used() const { return static_cast<uint32_t>(encoder.cursor - payload()); }
  uint32_t id() const;
};

static_assert(offsetof(Window, limit) == 64);

// While one thread is alone, so many entries in a row have the time of the one before, at the most
// (entry_guard.h). One less than a power of two.
inline constexpr uint32_t kMostUnstamped = 31;

// All that a thread keeps in thread-local storage: zero until its first entry.
struct ThreadSlot {
  Window* window;
  uintptr_t busy;  // stack position of the hook that is at work; 0: none; kMuted: none may be
  uintptr_t idle;  // what `busy` is between hooks: 0, or kMuted

  // Count mode: the thread's table, null while it is muted, and how many more calls of malloc until
  // one looks after names and samples.
  format::CountTable* counts;
  format::CountTable* own_counts;  // the same, muted or not
  int32_t count_left;
  int32_t count_step;     // what it was set to
  uint64_t count_looked;  // when
  format::CountTable*
      only_in;          // the one table that tells of this thread, as long as it has no entry
  bool counted_shared;  // it has counted in the table of those that have none
  ThreadStatistics* statistics;  // what is kept of this thread; null: nothing yet

  // In a forked child: all this is in the parent's ledger.
  void leave_ledger() {
    window = nullptr;
    counts = own_counts = only_in = nullptr;
    counted_shared = false;
    count_left = 0;
  }
};
extern __thread ThreadSlot thread_slot __attribute__((tls_model("initial-exec")));

// A thread that the program has taken out of the recording. Quick paths find `busy` set and go the
// slow way; the slow way finds this and passes through, counting nothing as missed. So whoever ends
// a hook sets `busy` back to `idle`, never to 0, and any mode that does not go through EntryGuard
// or enter_quickly asks is_muted() before it counts or writes.
inline constexpr uintptr_t kMuted = 1;
// Above any stack position: as if a hook were at work (ThreadHeld).
inline constexpr uintptr_t kHeld = UINTPTR_MAX;

inline bool is_muted() {
  return thread_slot.idle == kMuted;
}

// Whether one of this thread's hooks is at work: then we are in a handler that interrupted it.
inline bool hook_at_work() {
  return thread_slot.busy > kMuted;
}

// Whether another thread's hook is at work. A thread in its very first one is not seen.
bool others_in_hooks();

// Whether the variables of a thread that lives, the first aside, are in [start, end): then that is
// its stack, for the C library puts them at its top.
bool holds_thread(uintptr_t start, uintptr_t end);

// Of the calling thread; also from a handler that interrupted one of its hooks, which then ends its
// entry first.
void mute_thread(bool mute);

// What an entry that cannot be made is to the ledger.
enum class Missed {
  kCall,     // a call is missing, and is counted as missed
  kNothing,  // the entry would only have made it richer
};

// The slow path of opening an entry: attaches a new thread, flushes a full window, begins anew
// after a fork. Null: no entry can be made, and that has been counted. Called with busy set.
Window* ready_window(Missed missed);

// A hook was entered while another one of the same thread was at work. True if that one was left
// by longjmp and the thread may go on; false: pass through; that has been counted, unless the
// thread is muted.
bool reclaim_abandoned(uintptr_t position, Missed missed);

// Makes sure that a long entry of up to `bytes` fits and a short one after it.
bool room_for(Window& window, size_t bytes);

// Enters the thread's name if it has changed.
void refresh_name(Window& window, uint64_t time);

// After a fork, with the parent's ledger forgotten: no windows, no threads.
void forget_windows();

// In a forked child, by the thread that forked, before it can have others: what it has belongs to
// the parent, whoever is the first to begin here. A hook that a handler interrupted to fork ends
// its entry in a copy.
void leave_parents_window();

// In a forked child that has its ledger now: calls that it missed before.
void enter_missed_before();

// Where the parent stood then, or where the calling thread does.
ParentPosition parent_position();

}  // namespace heapledger::runtime
