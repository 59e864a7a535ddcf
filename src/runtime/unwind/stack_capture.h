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

#include <cstring>

#include "runtime/unwind/stack_memo.h"

namespace heapledger::runtime {

// There are two ways through: quickly(), for nearly all captures, in registers and without calls;
// and carefully(), which does everything. Whatever the first cannot do at once, the second does
// from the beginning.
//
// The frame pointer matters only to frames whose rule needs it. Where none of the new frames does,
// and the rest of the stack does not depend on the frame pointer at the frame that is met, it has
// no part in the walk, and quickly<false>() leaves it out. What the rest depends on further out
// are slots like any other: they are in memo.checks.
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
    if (__builtin_expect(ready & !memo_.with_pointers, 1)) {
      Outcome outcome = quickly<false>(pc, sp, bp, site);
      if (__builtin_expect(outcome == Outcome::kDone, 1)) return site;
      ready = outcome == Outcome::kNeedsPointers;
    }
    if (ready && quickly_with_pointers(pc, sp, bp, site) == Outcome::kDone) return site;
    return carefully({pc, sp, bp});
  }

  // The stack was cut only because a rule needs registers beyond pc, sp and bp.
  bool needs_registers() const { return needs_registers_; }

 private:
  enum class Outcome { kDone, kNeedsPointers, kOutOfTheOrdinary };

  static constexpr uint64_t kNever = 0;  // no pc is zero
  static constexpr auto kReturnSlot = static_cast<uint64_t>(arch::kReturnSlot);

  static const uint64_t* word(uint64_t at) { return reinterpret_cast<const uint64_t*>(at); }
  static uint64_t address(const uint64_t* slot) { return reinterpret_cast<uint64_t>(slot); }

  __attribute__((noinline)) Outcome quickly_with_pointers(uint64_t pc, uint64_t sp, uint64_t bp,
                                                          uint32_t& site) {
    return quickly<true>(pc, sp, bp, site);
  }

  // Walks until a remembered frame is met with which, outwards, memory agrees. Unless that is done,
  // nothing has changed.
  template <bool kPointers>
  __attribute__((always_inline)) Outcome quickly(uint64_t pc, uint64_t sp, uint64_t bp,
                                                 uint32_t& site) {
    StackMemo& memo = memo_;
    const MemoFrame* const frames = memo.frames;
    const uint64_t last_slot = memo.own.high() - 8;
    const uint64_t lowest = sp;
    const uint32_t capacity = memo.capacity;
    uint64_t slot = sp + kReturnSlot;
    const uint64_t* bp_slot = nullptr;
    uint32_t bound = memo.count;  // so many of the remembered frames may still be met
    uint32_t fresh = 0;
    uint32_t first_user = UINT32_MAX;  // the innermost new frame that uses the frame pointer
    for (;;) {
      uint32_t place = memo.place_of(word(slot));
      const MemoFrame& met = frames[place];
      bool is_met = (met.pc == pc) & (met.slot == word(slot)) & (place < bound);
      if (kPointers && is_met) is_met = memo.needs[place] == 0 || memo.values[place] == bp;
      if (is_met) {
        if (!kPointers && __builtin_expect(memo.needs[place] != 0, 0)) {
          return Outcome::kNeedsPointers;
        }
        bound = disagreement(place);
        if (__builtin_expect(bound == 0, 1)) {
          if (__builtin_expect(fresh + place >= capacity, 0)) return Outcome::kOutOfTheOrdinary;
          if constexpr (kPointers) {
            remember_pointers(place + 1, fresh, bp_slot, first_user);
          } else {
            forget_pointers(place, fresh);
          }
          site = remember(place + 1, fresh);
          return Outcome::kDone;
        }
      }
      if (__builtin_expect(fresh == capacity, 0)) return Outcome::kOutOfTheOrdinary;
      memo.fresh[fresh].pc = pc;
      memo.fresh[fresh].slot = word(slot);
      uint64_t key = memo.key_of(pc);
      const RecentRow& recent = memo.row_of(key);
      uint64_t packed = recent.row;
      if (__builtin_expect(recent.key != key, 0)) packed = shared_row(memo, pc);
      Row row = Row::unpack(packed);
      if constexpr (!kPointers) {
        // Offsets from the stack pointer are positive and even: see condense().
        if (__builtin_expect(row.kind != RowKind::kStack, 0)) {
          return row.kind == RowKind::kFrame ? Outcome::kNeedsPointers : Outcome::kOutOfTheOrdinary;
        }
        slot += static_cast<uint64_t>(int64_t{row.cfa_offset});
        if (__builtin_expect(slot > last_slot, 0)) return Outcome::kOutOfTheOrdinary;
      } else {
        if (__builtin_expect(!row.is_usual(), 0)) return Outcome::kOutOfTheOrdinary;
        uint64_t base = row.kind == RowKind::kStack ? slot - kReturnSlot : bp;
        uint64_t cfa = base + static_cast<uint64_t>(int64_t{row.cfa_offset});
        uint64_t saved = cfa + static_cast<uint64_t>(int64_t{row.frame_offset});
        bool is_saved = row.frame_offset != 0;
        FramePointer& pointer = memo.fresh_pointers[fresh];
        pointer.bp = bp;
        pointer.slot = bp_slot;
        pointer.used = row.kind == RowKind::kFrame;
        if (pointer.used && first_user == UINT32_MAX) first_user = fresh;
        bool good = cfa > slot + 8 && cfa + kReturnSlot <= last_slot && (cfa & 7) == 0;
        if (is_saved) good = good && saved >= lowest && saved <= last_slot && (saved & 7) == 0;
        if (__builtin_expect(!good, 0)) return Outcome::kOutOfTheOrdinary;
        bp_slot = is_saved ? word(saved) : nullptr;
        bp = *(is_saved ? bp_slot : &pointer.bp);
        slot = cfa + kReturnSlot;
      }
      pc = *word(slot);
      ++fresh;
    }
  }

  // 0 if memory agrees with all of the remembered stack outside the frame at `place`; if not, how
  // many frames may be worth another look. From the stack pointer outwards everything may be
  // read, so reading beyond a frame that differs does no harm.
  __attribute__((always_inline)) uint32_t disagreement(uint32_t place) const {
    const MemoFrame* const frames = memo_.frames;
    int64_t at = place;
    while (at > 0) {
      at -= StackMemo::kStride;
      const MemoFrame* four = frames + at;
      uint64_t difference = (*four[3].slot ^ four[3].pc) | (*four[2].slot ^ four[2].pc) |
                            (*four[1].slot ^ four[1].pc) | (*four[0].slot ^ four[0].pc);
      if (difference != 0) return static_cast<uint32_t>(at + StackMemo::kStride);
    }
    for (uint32_t i = 0; i < memo_.check_count; ++i) {
      const PointerCheck& check = memo_.checks[i];
      if (check.place >= place) break;
      if (*check.slot != check.bp) return check.place + 1;
    }
    return 0;
  }

  // Gives the new frames their sites, from the outside in, and remembers the stack. Of the
  // remembered frames the outermost `place` stay.
  __attribute__((always_inline)) uint32_t remember(uint32_t place, uint32_t fresh) {
    StackMemo& memo = memo_;
    MemoFrame* const frames = memo.frames;
    SitePath* const sites = memo.sites;
    SitePath site = sites[int64_t{place} - 1];
    while (fresh-- > 0) {
      uint64_t pc = memo.fresh[fresh].pc;
      const uint64_t* slot = memo.fresh[fresh].slot;
      site = sites_.child(site, pc);
      frames[place].pc = pc;
      frames[place].slot = slot;
      sites[place] = site;
      memo.place_of(slot) = static_cast<uint16_t>(place);
      ++place;
    }
    memo.last_count = place;
    memo.count = place;
    return site.site;
  }

  // Nothing outside depends on the frame pointer of the frame at `met`, or of the new ones.
  __attribute__((always_inline)) void forget_pointers(uint32_t met, uint32_t fresh) {
    drop_checks(met);
    for (uint32_t i = 1; i <= fresh; ++i) memo_.needs[met + i] = 0;
  }

  __attribute__((always_inline)) void drop_checks(uint32_t from) {
    uint32_t count = memo_.check_count;
    while (count > 0 && memo_.checks[count - 1].place >= from) --count;
    memo_.check_count = count;
  }

  // Finds out what the rest of the stack depends on at each of the new frames. Of the remembered
  // frames the outermost `kept` stay; the frame pointer of the last of them was read from `slot`,
  // or is that of the frame inside. No new frame before `first_user` uses it.
  __attribute__((always_inline)) void remember_pointers(uint32_t kept, uint32_t fresh,
                                                        const uint64_t* slot, uint32_t first_user) {
    StackMemo& memo = memo_;
    drop_checks(kept == 0 ? 0 : kept - 1);
    bool needed = kept != 0 && memo.needs[kept - 1] != 0;
    bool any = needed;
    if (needed && slot != nullptr) add_check(slot, memo.values[kept - 1], kept - 1);
    for (uint32_t place = kept; fresh-- > 0; ++place) {
      if (!needed && first_user > fresh) {
        memset(memo.needs + place, 0, fresh + 1);
        break;
      }
      const FramePointer& pointer = memo.fresh_pointers[fresh];
      // A frame pointer that is not in a slot passes through the frame inside.
      needed = pointer.used || (needed && slot == nullptr);
      any = any || needed;
      memo.needs[place] = needed ? 1 : 0;
      memo.values[place] = pointer.bp;
      if (needed && pointer.slot != nullptr) add_check(pointer.slot, pointer.bp, place);
      slot = pointer.slot;
    }
    memo.with_pointers = any;
  }

  void add_check(const uint64_t* slot, uint64_t bp, uint32_t place) {
    PointerCheck& check = memo_.checks[memo_.check_count++];
    check.slot = slot;
    check.bp = bp;
    check.place = place;
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
    remember_pointers(kept, walk.fresh, walk.bp_slot, 0);
    uint32_t site = remember(kept, walk.fresh);
    if (walk.crossed) memo_.count = 0;
    return site;
  }

  // How many of the remembered frames are part of this stack.
  uint32_t walk_on(Walk& walk) {
    for (;;) {
      uint32_t place = memo_.place_of(walk.slot);
      if (place < walk.bound && is_at(place, walk)) {
        bool whole = memo_.end != StackEnd::kDepth && walk.fresh + place < memo_.capacity;
        walk.bound = careful_disagreement(place, walk.stack);
        if (whole && walk.bound == 0) return place + 1;
      }
      if (!add(walk)) return 0;
      Row row = Row::unpack(recent_row(walk.state.pc));
      if (!step(row, walk)) return 0;
      if (walk.crossed) walk.bound = 0;  // frames are no longer in one order
    }
  }

  bool is_at(uint32_t place, const Walk& walk) const {
    const MemoFrame& met = memo_.frames[place];
    return met.slot == walk.slot && met.pc == walk.state.pc &&
           (memo_.needs[place] == 0 || memo_.values[place] == walk.state.bp);
  }

  void begin(uint64_t sp) {
    uint32_t epoch = code_epoch.load(std::memory_order_acquire);
    if (memo_.epoch != epoch) enter_epoch(memo_, epoch);
    own_ = memo_.own.covers(sp);
    if (memo_.on_own_stack != own_) memo_.count = 0;
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
    memo_.fresh[walk.fresh] = {walk.state.pc, walk.slot};
    memo_.fresh_pointers[walk.fresh] = {walk.state.bp, walk.bp_slot, false};
    ++walk.fresh;
    return true;
  }

  // The same as disagreement(), but every read is checked: the stack may have been unmapped and
  // mapped again.
  uint32_t careful_disagreement(uint32_t place, StackReader& stack) const {
    auto differs = [&stack](const uint64_t* slot, uint64_t expected) {
      uint64_t value;
      return slot == &kNever || !stack.read(address(slot), value) || value != expected;
    };
    for (uint32_t at = place; at-- > 0;) {
      if (differs(memo_.frames[at].slot, memo_.frames[at].pc)) return at + 1;
    }
    for (uint32_t i = 0; i < memo_.check_count && memo_.checks[i].place < place; ++i) {
      if (differs(memo_.checks[i].slot, memo_.checks[i].bp)) return memo_.checks[i].place + 1;
    }
    return 0;
  }

  // One frame outwards. False: the walk ends here.
  bool step(Row row, Walk& walk) {
    if (row.kind == RowKind::kOutermost) return ends(Step::kOutermost, walk);
    walk.slot = &kNever;
    walk.bp_slot = nullptr;
    memo_.fresh_pointers[walk.fresh - 1].used = row.kind != RowKind::kStack;
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
