// Captures a call stack, with the thread's last one for help.
//
// Walking outwards from a new allocation, sooner or later the state (pc, sp, bp) equals that of
// a remembered frame. From there on the remembered stack is checked by loads alone: the same state
// has the same rule and the same slots; if the slots still hold the same values, the next state
// is the same too, and so on outwards. Nothing is assumed, so the result is exactly that of
// a full walk. Where a slot differs, walking resumes, and may meet the remembered stack again.
//
// No lock, no allocation, little stack; safe in a signal handler (each capture is guarded by its
// thread's busy flag).
#pragma once

#include <arch_registers.h>

#include "runtime/unwind/stack_memo.h"

namespace heapledger::runtime {

// There are two ways through: quickly(), for nearly all captures, in registers and without calls;
// and carefully(), which does everything. Whatever the first cannot do at once, the second does
// from the beginning. As long as no frame of the stack needs the frame pointer, the frame
// pointer has no part in the walk, and quickly<false>() leaves it out.
//
// `Sites` gives ids to nodes:
//   uint32_t root(StackEnd);  SitePath child(SitePath parent, uint64_t pc);
template <typename Sites>
class StackCapture {
 public:
  StackCapture(StackMemo& memo, Sites& sites) : memo_(memo), sites_(sites) {}

  // Walks the stack whose innermost frame is at these registers; returns the site of that frame.
  __attribute__((always_inline)) uint32_t run(uint64_t pc, uint64_t sp, uint64_t bp) {
    uint32_t site;
    uint32_t epoch = code_epoch.load(std::memory_order_acquire);
    bool ready = memo_.own.knows(sp) & memo_.on_own_stack & (memo_.epoch == epoch) &
                 (memo_.end != StackEnd::kDepth) & ((sp & 7) == 0);
    if (__builtin_expect(ready, 1)) {
      if (__builtin_expect(!memo_.uses_pointers, 1)) {
        if (__builtin_expect(quickly<false>(pc, sp, bp, site), 1)) return site;
      } else if (__builtin_expect(quickly_with_pointers(pc, sp, bp, site), 1)) {
        return site;
      }
    }
    return carefully({pc, sp, bp});
  }

  // The stack was cut only because a rule needs registers beyond pc, sp and bp.
  bool needs_registers() const { return needs_registers_; }

 private:
  static constexpr uint64_t kNever = 0;  // no pc is zero
  static constexpr auto kReturnSlot = static_cast<uint64_t>(arch::kReturnSlot);

  static const uint64_t* word(uint64_t at) { return reinterpret_cast<const uint64_t*>(at); }
  static uint64_t address(const uint64_t* slot) { return reinterpret_cast<uint64_t>(slot); }

  __attribute__((noinline)) bool quickly_with_pointers(uint64_t pc, uint64_t sp, uint64_t bp,
                                                       uint32_t& site) {
    return quickly<true>(pc, sp, bp, site);
  }

  // Walks until a remembered frame is met with which, outwards, memory agrees. False, with nothing
  // changed, if anything is out of the ordinary.
  template <bool kPointers>
  __attribute__((always_inline)) bool quickly(uint64_t pc, uint64_t sp, uint64_t bp,
                                              uint32_t& site) {
    StackMemo& memo = memo_;
    const MemoFrame* const frames = memo.last.frames;
    const uint64_t last_slot = memo.own.high() - 8;
    const uint64_t lowest = sp;
    const uint32_t capacity = memo.capacity;
    uint64_t slot = sp + kReturnSlot;
    const uint64_t* bp_slot = nullptr;
    uint32_t bound = memo.count;  // so many of the remembered frames may still be met
    uint32_t fresh = 0;
    for (;;) {
      uint32_t place = memo.place_of(word(slot));
      const MemoFrame& met = frames[place];
      bool is_met = (met.pc == pc) & (met.slot == word(slot)) & (place < bound);
      if (kPointers && is_met) is_met = memo.last.pointers[place].bp == bp;
      if (is_met) {
        bound = disagreement<kPointers>(place);
        if (__builtin_expect(bound == 0, 1)) {
          if (__builtin_expect(fresh + place >= capacity, 0)) return false;
          site = remember<kPointers>(place + 1, fresh);
          return true;
        }
      }
      if (__builtin_expect(fresh == capacity, 0)) return false;
      memo.fresh.frames[fresh].pc = pc;
      memo.fresh.frames[fresh].slot = word(slot);
      uint64_t key = memo.key_of(pc);
      const RecentRow& recent = memo.row_of(key);
      uint64_t packed = recent.row;
      if (__builtin_expect(recent.key != key, 0)) packed = shared_row(memo, pc);
      Row row = Row::unpack(packed);
      if constexpr (!kPointers) {
        // Offsets from the stack pointer are positive and even: see condense().
        if (__builtin_expect(row.kind != RowKind::kStack, 0)) return false;
        slot += static_cast<uint64_t>(int64_t{row.cfa_offset});
        if (__builtin_expect(slot > last_slot, 0)) return false;
      } else {
        if (__builtin_expect(!row.is_usual(), 0)) return false;
        uint64_t base = row.kind == RowKind::kStack ? slot - kReturnSlot : bp;
        uint64_t cfa = base + static_cast<uint64_t>(int64_t{row.cfa_offset});
        uint64_t saved = cfa + static_cast<uint64_t>(int64_t{row.frame_offset});
        bool is_saved = row.frame_offset != 0;
        MemoPointer& pointer = memo.fresh.pointers[fresh];
        pointer = {bp, bp_slot, row.kind == RowKind::kFrame ? 1u : 0u};
        bool good = cfa > slot + 8 && cfa + kReturnSlot <= last_slot && (cfa & 7) == 0;
        if (is_saved) good = good && saved >= lowest && saved <= last_slot && (saved & 7) == 0;
        if (__builtin_expect(!good, 0)) return false;
        bp_slot = is_saved ? word(saved) : nullptr;
        bp = *(is_saved ? bp_slot : &pointer.bp);
        slot = cfa + kReturnSlot;
      }
      pc = *word(slot);
      ++fresh;
    }
  }

  // 0 if memory agrees with all remembered frames outside the one at `place`; if not, how many may
  // be worth another look. From the stack pointer outwards everything may be read, so reading
  // beyond a frame that differs does no harm.
  template <bool kPointers>
  __attribute__((always_inline)) uint32_t disagreement(uint32_t place) const {
    const MemoFrame* const frames = memo_.last.frames;
    int64_t at = place;
    while (at > 0) {
      at -= StackMemo::kStride;
      const MemoFrame* four = frames + at;
      uint64_t difference = (*four[3].slot ^ four[3].pc) | (*four[2].slot ^ four[2].pc) |
                            (*four[1].slot ^ four[1].pc) | (*four[0].slot ^ four[0].pc);
      if constexpr (kPointers) {
        const MemoPointer* pointers = memo_.last.pointers + at;
        difference |= (*pointers[3].slot ^ pointers[3].bp) | (*pointers[2].slot ^ pointers[2].bp) |
                      (*pointers[1].slot ^ pointers[1].bp) | (*pointers[0].slot ^ pointers[0].bp);
      }
      if (difference != 0) return static_cast<uint32_t>(at + StackMemo::kStride);
    }
    return 0;
  }

  // Gives the new frames their sites, from the outside in, and remembers the stack. Of the
  // remembered frames the outermost `place` stay.
  template <bool kPointers>
  __attribute__((always_inline)) uint32_t remember(uint32_t place, uint32_t fresh) {
    StackMemo& memo = memo_;
    MemoFrame* const frames = memo.last.frames;
    SitePath* const sites = memo.sites;
    SitePath site = sites[int64_t{place} - 1];
    if constexpr (kPointers) remember_pointers(place, fresh);
    while (fresh-- > 0) {
      MemoFrame frame = memo.fresh.frames[fresh];
      site = sites_.child(site, frame.pc);
      frames[place].pc = frame.pc;
      frames[place].slot = frame.slot;
      sites[place] = site;
      memo.place_of(frame.slot) = static_cast<uint16_t>(place);
      ++place;
    }
    memo.last_count = place;
    memo.count = place;
    return site.site;
  }

  __attribute__((always_inline)) void remember_pointers(uint32_t place, uint32_t fresh) {
    MemoPointer* to = memo_.last.pointers + place;
    uint32_t users = place == 0 ? 0 : to[-1].users;
    for (; fresh-- > 0; ++to) {
      const MemoPointer& from = memo_.fresh.pointers[fresh];
      users += from.users;
      // A frame pointer that no slot holds is that of the frame inside by definition.
      *to = {from.bp, from.slot != nullptr ? from.slot : &to->bp, users};
    }
    memo_.uses_pointers = users != 0;
  }

  // What a careful walk has got so far.
  struct Walk {
    FrameState state;
    const uint64_t* slot;
    const uint64_t* bp_slot;
    StackReader stack;
    uint32_t bound;  // so many of the remembered frames may still be met
    uint32_t fresh = 0;
    StackEnd end = StackEnd::kWhole;
    bool crossed = false;  // it has gone over to another stack
  };

  __attribute__((noinline)) uint32_t carefully(FrameState state) {
    begin(state.sp);
    Walk walk = {state, word(state.sp + kReturnSlot), nullptr, reader_at(state.sp), memo_.count};
    uint32_t kept = walk_on(walk);
    if (kept == 0) {
      memo_.sites[-1] = {sites_.root(walk.end), 0};
      memo_.end = walk.end;
    }
    uint32_t site = remember<true>(kept, walk.fresh);
    if (walk.crossed) memo_.count = 0;
    return site;
  }

  // How many of the remembered frames are part of this stack.
  uint32_t walk_on(Walk& walk) {
    for (;;) {
      uint32_t place = memo_.place_of(walk.slot);
      const MemoFrame& met = memo_.last.frames[place];
      if (place < walk.bound && met.slot == walk.slot && met.pc == walk.state.pc &&
          memo_.last.pointers[place].bp == walk.state.bp) {
        bool whole = memo_.end != StackEnd::kDepth && walk.fresh + place < memo_.capacity;
        if (whole && last_agreeing(place, walk.stack) == 0) return place + 1;
        if (!part(place, walk)) return 0;
      }
      if (!add(walk)) return 0;
      Row row = Row::unpack(recent_row(walk.state.pc));
      if (!step(row, walk)) return 0;
      if (walk.crossed) walk.bound = 0;  // frames are no longer in one order
    }
  }

  void begin(uint64_t sp) {
    uint32_t epoch = code_epoch.load(std::memory_order_acquire);
    if (memo_.epoch != epoch) enter_epoch(memo_, epoch);
    own_ = memo_.own.covers(sp);
    // Without their frame pointers the remembered frames are no help here.
    if (memo_.on_own_stack != own_ || !memo_.uses_pointers) memo_.count = 0;
    memo_.on_own_stack = own_;
  }

  StackReader reader_at(uint64_t sp) const {
    return own_ ? StackReader(sp & ~uint64_t{7}, memo_.own.high(), false)
                : StackReader(sp & ~uint64_t{7}, (sp / 4096 + 1) * 4096, true);
  }

  uint64_t recent_row(uint64_t pc) {
    uint64_t key = memo_.key_of(pc);
    const RecentRow& recent = memo_.row_of(key);
    return recent.key == key ? recent.row : shared_row(memo_, pc);
  }

  // From the table that all threads share; kept at hand.
  static __attribute__((noinline)) uint64_t shared_row(StackMemo& memo, uint64_t pc) {
    uint64_t row = row_at(pc, memo.scratch);
    uint64_t key = memo.key_of(pc);
    // Ignorance is not kept: a module may be loaded there later.
    if (Row::unpack(row).kind != RowKind::kUnknown) memo.row_of(key) = {key, row};
    return row;
  }

  // Adds the frame where the walk is. False at the depth limit.
  bool add(Walk& walk) {
    if (walk.fresh == memo_.capacity) {
      walk.end = StackEnd::kDepth;
      return false;
    }
    memo_.fresh.frames[walk.fresh] = {walk.state.pc, walk.slot};
    memo_.fresh.pointers[walk.fresh] = {walk.state.bp, walk.bp_slot, 0};
    ++walk.fresh;
    return true;
  }

  // Something outside the frame at `place` has changed (or the stack was too deep to be remembered
  // whole), so the frames from there to the last that agrees hang from another site now. Walking
  // goes on from that one.
  bool part(uint32_t place, Walk& walk) {
    uint32_t at = last_agreeing(place, walk.stack);
    for (; place != at; --place) {
      if (!add(walk)) return false;
      uint32_t inside = memo_.last.pointers[place].users;
      memo_.fresh.pointers[walk.fresh - 1].users = inside - memo_.last.pointers[place - 1].users;
      const MemoFrame& frame = memo_.last.frames[place - 1];
      const MemoPointer& pointer = memo_.last.pointers[place - 1];
      walk.state = {frame.pc, address(frame.slot) - kReturnSlot, pointer.bp};
      walk.slot = frame.slot;
      walk.bp_slot = pointer.slot != &pointer.bp ? pointer.slot : nullptr;
    }
    walk.bound = at;
    return true;
  }

  // Goes along the remembered stack, outwards from the frame at `place`, for as long as memory
  // agrees with it. Every read is checked: the stack may have been unmapped and mapped again.
  uint32_t last_agreeing(uint32_t place, StackReader& stack) const {
    for (; place != 0; --place) {
      const MemoFrame& frame = memo_.last.frames[place - 1];
      const MemoPointer& pointer = memo_.last.pointers[place - 1];
      uint64_t value;
      bool same_pc =
          frame.slot != &kNever && stack.read(address(frame.slot), value) && value == frame.pc;
      if (!same_pc) return place;
      if (pointer.slot == &pointer.bp) continue;
      if (!stack.read(address(pointer.slot), value) || value != pointer.bp) return place;
    }
    return place;
  }

  // One frame outwards. False: the walk ends here.
  bool step(Row row, Walk& walk) {
    if (row.kind == RowKind::kOutermost) return ends(Step::kOutermost, walk);
    walk.slot = &kNever;
    walk.bp_slot = nullptr;
    if (row.kind != RowKind::kStack) memo_.fresh.pointers[walk.fresh - 1].users = 1;
    if (row.is_usual()) {
      uint64_t saved_at = 0;
      Step step = step_by_row(row, walk.stack, walk.state, saved_at);
      if (step != Step::kCaller) return ends(step, walk);
      walk.slot = word(walk.state.sp + kReturnSlot);
      walk.bp_slot = word(saved_at);
      return true;
    }
    Step step = row.kind == RowKind::kGeneral
                    ? step_by_rules(walk.state, walk.stack, memo_.scratch)
                    : step_by_frame_pointer(walk.state, walk.stack, memo_.scratch);
    if (step != Step::kCaller) return ends(step, walk);
    // A signal handler's caller may be on another stack.
    if (walk.state.sp <= walk.stack.low() || walk.state.sp >= walk.stack.high()) {
      own_ = memo_.own.covers(walk.state.sp);
      walk.stack = reader_at(walk.state.sp);
      walk.crossed = true;
    }
    return true;
  }

  bool ends(Step step, Walk& walk) {
    needs_registers_ = step == Step::kNeedsRegisters;
    walk.end = step == Step::kOutermost ? StackEnd::kWhole : StackEnd::kCut;
    return false;
  }

  StackMemo& memo_;
  Sites& sites_;
  bool own_ = false;  // the walk is on the thread's own stack
  bool needs_registers_ = false;
};

}  // namespace heapledger::runtime
