// A thread's last stack, as stack_capture.h uses it to find the next one quickly. It belongs to
// one thread's window and is used by that thread alone.
#pragma once

#include <atomic>
#include <cstdint>

#include "format/entry.h"
#include "runtime/unwind/own_stack.h"
#include "runtime/unwind/walker.h"

namespace heapledger::runtime {

// A frame of the remembered stack: its pc, and the slot on the stack that it was read from on the
// way out from the frame inside; the frame's stack pointer is just beyond that slot. For frames
// that were reached in another way, a slot that never agrees.
struct MemoFrame {
  uint64_t pc;
  const uint64_t* slot;
};

// The frame pointer in a frame, as a walk found it.
struct FramePointer {
  uint64_t bp;
  const uint64_t* slot;  // where it was read; null: it is that of the frame inside
  bool used;             // the frame's own rule needs it
};

// A slot that holds a frame pointer on which the rest of the remembered stack depends.
struct PointerCheck {
  const uint64_t* slot;
  uint64_t bp;
  uint32_t place;  // of the frame whose frame pointer it is
};

// What a frame and all outside it are called: the node in the trie, and a hash of the way there
// from the root, which is known without looking anything up.
struct SitePath {
  uint32_t site;
  uint32_t hash;

  uint32_t next_hash(uint64_t key) const {
    return static_cast<uint32_t>((hash ^ key) * 0x9E3779B97F4A7C15ull >> 32);
  }
};

// How a walk ended; what its outermost frame hangs from in the trie (format/entry.h).
enum class StackEnd : uint8_t {
  kWhole = 0,
  kCut = format::kMarkCut,
  kDepth = format::kMarkDepth,
};

inline constexpr uint32_t kMaxDepth = 4096;
extern uint32_t depth_limit;  // frames; set once at the start

// Counts unloads: what a memo knows about code holds for one epoch.
extern std::atomic<uint32_t> code_epoch;

// What a thread has lately learned from the tables that all threads share, found with one look.
// The keys hold the epoch too, so that nothing has to be cleared when it changes.
struct RecentRow {
  uint64_t key;
  uint64_t row;
};
struct RecentSite {
  uint64_t key;
  uint32_t parent;
  uint32_t site;
};

struct StackMemo {
  // Frames are verified this many at a time; as many that always agree stand outside frames[0].
  static constexpr uint32_t kStride = 4;
  static constexpr unsigned kRowBits = 11;
  static constexpr unsigned kSiteBits = 13;
  static constexpr unsigned kPlaceBits = 10;

  OwnStack own;
  uint32_t thread;  // whose it is, by index
  uint32_t epoch;
  uint32_t count;       // frames remembered; [0] is the outermost
  uint32_t last_count;  // frames of the stack last captured, remembered or not
  uint32_t capacity;
  StackEnd end;
  bool on_own_stack;   // where the remembered stack was
  bool with_pointers;  // the last walk could not do without the frame pointer

  // The remembered stack: room for `capacity` frames, as in all that follows.
  MemoFrame* frames;
  SitePath* sites;   // sites[-1] is what the outermost frame hangs from
  uint8_t* needs;    // nonzero: the rest of the stack depends on the frame pointer there …
  uint64_t* values;  // … which had this value
  PointerCheck* checks;
  uint32_t check_count;  // in the order of their places

  // The frames of a walk, the innermost first.
  MemoFrame* fresh;
  FramePointer* fresh_pointers;

  uint64_t* reference;  // for cross_check
  CfiScratch scratch;

  RecentRow recent_rows[1u << kRowBits];
  RecentSite recent_sites[1u << kSiteBits];
  uint16_t places[1u << kPlaceBits];  // a guess: which frame was read from this slot

  uint16_t& place_of(const uint64_t* slot) {
    return places[(reinterpret_cast<uint64_t>(slot) >> 4) & ((1u << kPlaceBits) - 1)];
  }

  // Addresses of code have 47 bits.
  uint64_t key_of(uint64_t pc) const {
    return pc ^ uint64_t { epoch } << 48;
  }
  RecentRow& row_of(uint64_t key) { return recent_rows[key * kSpread >> (64 - kRowBits)]; }
  RecentSite& site_of(uint32_t hash) { return recent_sites[hash >> (32 - kSiteBits)]; }

 private:
  static constexpr uint64_t kSpread = 0x9E3779B97F4A7C15ull;
};

// A memo with room for depth_limit frames; null if there is no memory.
StackMemo* new_memo();
// For the window's next thread.
void reset_memo(StackMemo& memo);
// Code has been unloaded, or ids have changed: nothing remembered holds any more.
void enter_epoch(StackMemo& memo, uint32_t epoch);

}  // namespace heapledger::runtime
