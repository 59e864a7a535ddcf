// A thread's last stack, as stack_capture.h uses it to find the next one quickly. It belongs to
// one thread's window and is used by that thread alone.
#pragma once

#include <atomic>
#include <cstdint>

#include "format/entry.h"
#include "runtime/ledger/window.h"
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

// The rule of a frame computes the CFA from the frame pointer. On the way out to that frame,
// `user`, it last changed at frame `start`, counted from the innermost frame of a walk.
struct PointerUse {
  const uint64_t* slot;  // where frame `start` has it from; null: no slot
  uint64_t bp;
  uint32_t start;  // 0: it is still what it was at the beginning
  uint32_t user;
};

// The same in the remembered stack: from the user inwards to `place`, which has it from the slot,
// the rest of the stack depends on the frame pointer. Without a slot, one that always agrees.
struct PointerSpan {
  const uint64_t* slot;
  uint64_t bp;
  uint32_t place;
};

// How a walk ended; what its outermost frame hangs from in the trie (format/entry.h).
enum class StackEnd : uint8_t {
  kWhole = 0,
  kCut = format::kMarkCut,
  kDepth = format::kMarkDepth,
};

inline constexpr uint32_t kMaxDepth = 4096;
static_assert((kMaxDepth - 1) * sizeof(MemoFrame) <= UINT16_MAX);
// Limits below this are kept to the frame.
inline constexpr uint32_t kLeastStepped = 32;
extern uint32_t depth_limit;  // frames; set once at the start

// What a memo knows about code holds for one epoch. A new one begins when code has been unloaded;
// the time of an unload is one of its own (unloading.h). Each has its own number.
extern std::atomic<uint32_t> code_epoch;
uint32_t new_epoch_number();
void begin_epoch();
// Of a memo's epoch: what is remembered is good for the capture at work alone. No epoch gets there.
inline constexpr uint32_t kExpired = 1u << 31;

// What a thread has lately learned from the tables that all threads share, found with one look.
// The keys hold the epoch too, so that nothing has to be cleared when it changes.
struct KeptRow {
  uint64_t key;
  uint64_t packed;
};

struct RecentSite {
  uint64_t key;
  uint32_t parent;
  uint32_t site;
};

// What a thread has lately learned about a frame at some depth of the stack: what a walk asks on
// its way out, and what is asked again on the way in. Half a cache line.
struct alignas(32) KnownFrame {
  uint64_t key;     // frame_key(); 0: nothing is known
  uint32_t parent;  // its caller's site when it was last part of a stack, or kNoParent, and …
  uint32_t site;    // … its own
  // In bytes: from the frame's slot to its caller's, and from there to where the frame pointer is
  // saved, always below; 0: it is not. kNoCaller: the row has to be asked.
  uint32_t caller;
  int32_t saved;

  static constexpr uint32_t kNoCaller = 1u << 31;  // beyond the top of the stack
  static_assert(kNoCaller == OwnStack::kMostKnownBytes);
  static constexpr uint32_t kNoParent = ~uint32_t{0};
};

// Where no more than the caller is kept of a stack, its address says everything: the sites by it.
struct CallerSite {
  uint64_t pc;
  uint32_t epoch;
  uint32_t site;  // kNoSite: none
};
struct CallerSites {
  static constexpr uint64_t kPlaces = 2048;
  CallerSite places[kPlaces];

  CallerSite& of(uint64_t pc) { return places[pc % kPlaces]; }
};

struct alignas(64) StackMemo {
  // Frames are verified this many at a time; as many that always agree stand outside frames[0].
  static constexpr uint32_t kStride = 4;
  static constexpr unsigned kRowBits = 11;
  // Places for sites, at first and at the most.
  static constexpr unsigned kFirstSiteBits = 13;
  static constexpr unsigned kMostSiteBits = 16;
  static constexpr unsigned kPlaceBits = 10;
  static constexpr unsigned kKnownBits = 10;

  OwnStack own;
  uint32_t thread;  // whose it is, by index
  uint32_t epoch;
  uint32_t plain_epoch;  // the same, if plain_site.h may have a try; else kExpired
  uint32_t count;        // frames remembered; [0] is the outermost
  uint32_t last_count;   // frames of the stack last captured, remembered or not
  uint32_t capacity;
  uint32_t capacity_bytes;  // the same, of its frames
  StackEnd end;
  // Of a stack that is deeper than that, so many frames outside the remembered ones are left out:
  // a multiple of `cut_step`, so that stacks of nearly the same depth hang from the same frame. 0:
  // whatever is too much. As long as a stack has `least` frames, it is cut where the last one was.
  uint32_t outside;
  uint32_t cut_step;
  uint32_t least;
  bool on_own_stack;  // where the remembered stack was

  // The remembered stack: frames() and this, room for `capacity` frames in each.
  uint32_t* sites;  // the frames' nodes in the trie; sites[-1] is what the outermost hangs from
  uint8_t* needs;   // of a remembered frame; nonzero: it is in one of the …
  PointerSpan* spans;
  uint32_t span_count;  // in the order of their places
  uint32_t needs_end;   // from here on no `needs` is set

  // The frames of a walk, the innermost first.
  MemoFrame* fresh;
  PointerUse* uses;  // room for one more
  uint64_t first_bp;

  uint32_t site_shift;   // there are 2^(32 - site_shift) places for sites
  uint32_t site_misses;  // since it last changed

  uint64_t* reference;  // for cross_check
  CfiScratch scratch;

  alignas(64) KeptRow rows[1u << kRowBits];
  RecentSite* recent_sites;
  CallerSites* callers;  // null: more than that is kept
  KnownFrame known_frames[1u << kKnownBits];
  // A guess: which frame was read from this slot, in bytes from the outermost one, so that it is
  // there without being computed.
  uint16_t offsets[1u << kPlaceBits];

  // They follow right behind this, so that nothing has to be loaded to find them.
  MemoFrame* frames() { return reinterpret_cast<MemoFrame*>(this + 1) + kStride; }
  uint32_t number_of(const MemoFrame* new_frame) const {
    return static_cast<uint32_t>(new_frame - fresh);
  }

  uint16_t& offset_of(const uint64_t* slot) {
    return offsets[(reinterpret_cast<uint64_t>(slot) >> 4) & ((1u << kPlaceBits) - 1)];
  }
  // What is known about a frame, or another one. The slot is there earlier than the pc, so that its
  // part costs no time.
  KnownFrame& known_frame(uint64_t pc, const uint64_t* slot) {
    uint64_t spread = (reinterpret_cast<uint64_t>(slot) * 0x9E3779B1u) >> 20;
    uint64_t index = (spread ^ pc) & ((1u << kKnownBits) - 1);
    return *reinterpret_cast<KnownFrame*>(reinterpret_cast<char*>(known_frames) +
                                          index * sizeof(KnownFrame));
  }
  MemoFrame& frame_at(uint64_t offset) {
    return *reinterpret_cast<MemoFrame*>(reinterpret_cast<char*>(frames()) + offset);
  }
  static uint32_t place_at(uint64_t offset) {
    return static_cast<uint32_t>(offset / sizeof(MemoFrame));
  }

  // Whether a stack of that many frames is to be cut where the remembered one is.
  bool may_have(uint32_t frames_in_all) const { return frames_in_all - least <= capacity - least; }
  // The remembered stack ends so, with that many frames outside.
  void set_end(StackEnd its_end, uint32_t frames_outside) {
    end = its_end;
    outside = frames_outside;
    least = its_end != StackEnd::kDepth ? 0 : cut_step == 0 ? capacity : capacity / 2;
  }

  // There is code on this stack that may go and be replaced unnoticed: unloading.h.
  void expire() {
    epoch |= kExpired;
    plain_epoch = kExpired;
  }
  // What the remembered stack is made of has changed.
  void note_whether_plain() {
    const bool is_plain = on_own_stack && span_count == 0 && least == 0 && capacity > 1;
    plain_epoch = is_plain ? epoch : kExpired;
  }

  // Addresses of code have 47 bits.
  uint64_t epoch_bits() const { return uint64_t{epoch} << 48; }
  uint64_t key_of(uint64_t pc) const { return pc ^ epoch_bits(); }
  // Never 0, even of the address 0.
  uint64_t frame_epoch() const { return epoch_bits() | uint64_t{1} << arch::kAddressBits; }
  uint64_t frame_key(uint64_t pc) const { return pc ^ frame_epoch(); }
  // Return addresses are spread well enough by themselves.
  KeptRow& kept_row(uint64_t pc) { return rows[pc & ((1u << kRowBits) - 1)]; }
  RecentSite& recent_site(uint32_t parent, uint64_t key) const {
    uint64_t hash = key * 0x9E3779B97F4A7C15ull + parent * 0xD6E8FEB86659FD93ull;
    return recent_sites[static_cast<uint32_t>(hash >> 32) >> site_shift];
  }
  // The innermost of four remembered frames outside `met` with one of which memory does
  // not agree, or the next that does not, further out; null: it agrees with all. From the stack
  // pointer outwards everything may be read, so reading beyond a frame that differs does no harm.
  __attribute__((always_inline)) const MemoFrame* disagreement(const MemoFrame& met) {
    const MemoFrame* const outermost = frames();
    for (const MemoFrame* four = &met; four > outermost;) {
      four -= kStride;
      if (__builtin_expect((difference(four[3]) | difference(four[2]) | difference(four[1]) |
                            difference(four[0])) != 0,
                           0)) {
        return first_different(four);
      }
    }
    return nullptr;
  }
  // A frame whose slot has changed cannot be met, nor any inside it.
  __attribute__((noinline)) static const MemoFrame* first_different(const MemoFrame* frame) {
    while (difference(*frame) == 0) ++frame;
    return frame;
  }
  static uint64_t difference(const MemoFrame& frame) { return *frame.slot ^ frame.pc; }

  size_t sites_in_use() const { return size_t{1} << (32 - site_shift); }
  // The span of a frame that is in one; or the first that is not outside the frame.
  uint32_t span_of(uint32_t place) const {
    uint32_t span = span_count;
    while (span > 0 && spans[span - 1].place >= place) --span;
    return span;
  }
  bool is_in_span(uint32_t place) const { return span_count != 0 && needs[place] != 0; }
  // What the rest of the stack depends on at that frame is there.
  bool suits(uint32_t place, uint64_t bp) const {
    return !is_in_span(place) || spans[span_of(place)].bp == bp;
  }

  // Uses come from the inside out; those of one and the same frame pointer are one.
  void note_use(uint32_t& noted, const PointerUse& use) {
    if (noted != 0 && uses[noted - 1].start == use.start) {
      uses[noted - 1].user = use.user;
    } else {
      uses[noted++] = use;
    }
  }
};

// The memo of the window's thread; null: there is none, or another thread's.
inline StackMemo* own_memo(const Window& window) {
  StackMemo* memo = window.memo;
  const bool own = memo != nullptr && memo->thread == window.thread;
  return __builtin_expect(own, 1) ? memo : nullptr;
}

// The packed row for `pc`, from the table that all threads share; kept at hand.
uint64_t shared_row(StackMemo& memo, uint64_t pc);
inline uint64_t recent_row(StackMemo& memo, uint64_t pc) {
  const KeptRow& kept = memo.kept_row(pc);
  return kept.key == memo.key_of(pc) ? kept.packed : shared_row(memo, pc);
}

// The packed row of a frame whose caller is not known; kept at hand, with the frame.
__attribute__((noinline)) uint64_t row_of_frame(StackMemo& memo, KnownFrame& known, uint64_t pc);

// Places for sites are overwritten before they are of use again: makes them more, if there is room.
__attribute__((cold)) void grow_sites(StackMemo& memo);

// Keeps a row at hand for this thread, which nobody else has: the frame pointer was seen to be kept
// there, in code that has no unwind information.
void keep_row(StackMemo& memo, uint64_t pc, const Row& row);

// Finds out at which of the new frames the rest of the stack depends on the frame pointer. Of the
// remembered frames the outermost `kept` stay, `fresh` new ones are inside. To be called if there
// are uses, or were any in the remembered stack.
void remember_uses(StackMemo& memo, uint32_t kept, uint32_t fresh, uint32_t uses);

// A memo with room for depth_limit frames; null if there is no memory.
StackMemo* new_memo();
// For the window's next thread.
void reset_memo(StackMemo& memo);
// Code has been unloaded, or ids have changed: nothing remembered holds any more.
void enter_epoch(StackMemo& memo, uint32_t epoch);

}  // namespace heapledger::runtime
