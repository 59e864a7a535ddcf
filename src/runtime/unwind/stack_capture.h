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

// `Sites` gives ids to nodes:
//   uint32_t root(StackEnd);  uint32_t child(uint32_t parent, uint64_t pc);
template <typename Sites>
class StackCapture {
 public:
  StackCapture(StackMemo& memo, Sites& sites) : memo_(memo), sites_(sites) {}

  // Walks the stack whose innermost frame is `state`; returns the site of that frame.
  __attribute__((always_inline)) uint32_t run(FrameState state) {
    StackReader stack = begin(state.sp);
    MemoFrame* const outermost = memo_.frames;
    MemoFrame* met = outermost + memo_.count;  // remembered frames outside it may still be met
    fresh_ = memo_.fresh;
    for (;;) {
      while (met != outermost && met[-1].state.sp < state.sp) --met;
      if (met != outermost && met[-1].state == state) {
        MemoFrame* at = last_agreeing(met - 1, stack);
        if (__builtin_expect(at == outermost && fits(met), 1)) break;
        met = part(met - 1, at, state);
        if (met == nullptr) break;
      }
      if (__builtin_expect(fresh_ == memo_.fresh_end, 0)) {
        met = give_up(StackEnd::kDepth);
        break;
      }
      MemoFrame* frame = fresh_++;
      frame->state = state;
      Row row = Row::unpack(row_at(state.pc, memo_.scratch));
      if (__builtin_expect(row.kind == RowKind::kStack || row.kind == RowKind::kFrame, 1)) {
        uint64_t frame_slot = 0;
        Step step = step_by_row(row, stack, state, frame_slot);
        frame->frame_slot = reinterpret_cast<const uint64_t*>(frame_slot);
        frame->return_slot = reinterpret_cast<const uint64_t*>(state.sp + kReturnSlot);
        if (__builtin_expect(step == Step::kCaller, 1)) continue;
        met = stop(step);
        break;
      }
      frame->return_slot = &kNever;
      frame->frame_slot = nullptr;
      if (!walk_generally(row.kind, state, stack)) {
        met = nullptr;
        break;
      }
      if (crossed_) met = outermost;  // on another stack: frames are no longer in one order
    }
    return remember(met);
  }

  // The stack was cut only because a rule needs registers beyond pc, sp and bp.
  bool needs_registers() const { return needs_registers_; }

 private:
  static constexpr uint64_t kNever = 0;  // no pc is zero
  static constexpr auto kReturnSlot = static_cast<uint64_t>(arch::kReturnSlot);

  StackReader reader_at(uint64_t sp) const {
    return own_ ? StackReader(sp & ~uint64_t{7}, memo_.own.high(), false)
                : StackReader(sp & ~uint64_t{7}, (sp / 4096 + 1) * 4096, true);
  }

  __attribute__((always_inline)) StackReader begin(uint64_t sp) {
    own_ = memo_.own.covers(sp);
    uint32_t epoch = code_epoch.load(std::memory_order_acquire);
    if (__builtin_expect(memo_.epoch != epoch || memo_.on_own_stack != own_, 0)) {
      memo_.epoch = epoch;
      memo_.on_own_stack = own_;
      memo_.count = 0;
    }
    return reader_at(sp);
  }

  // Goes along the remembered stack, outwards from `at`, for as long as memory agrees with it.
  __attribute__((always_inline)) MemoFrame* last_agreeing(MemoFrame* at, StackReader& stack) {
    MemoFrame* const outermost = memo_.frames;
    if (__builtin_expect(!own_, 0)) return last_agreeing_carefully(at, stack);
    while (at != outermost && *at->return_slot == at[-1].state.pc &&
           *at->frame_slot == at[-1].state.bp) {
      --at;
    }
    return at;
  }

  // On a stack that may have been unmapped and mapped again, every read is checked.
  __attribute__((noinline)) MemoFrame* last_agreeing_carefully(MemoFrame* at, StackReader& stack) {
    for (; at != memo_.frames; --at) {
      uint64_t value;
      bool same_pc = is_on_stack(at->return_slot) && stack.read(address(at->return_slot), value) &&
                     value == at[-1].state.pc;
      if (!same_pc) return at;
      if (!is_on_stack(at->frame_slot)) continue;
      if (!stack.read(address(at->frame_slot), value) || value != at[-1].state.bp) return at;
    }
    return at;
  }

  // Slots that always or never agree are not on any stack but in the memo, or here.
  bool is_on_stack(const uint64_t* slot) const {
    uint64_t from = reinterpret_cast<uint64_t>(&memo_);
    uint64_t to = reinterpret_cast<uint64_t>(memo_.fresh_end);
    return slot != &kNever && (address(slot) < from || address(slot) >= to);
  }

  static uint64_t address(const uint64_t* slot) { return reinterpret_cast<uint64_t>(slot); }

  // Whether the remembered frames up to `met` are the rest of this stack.
  bool fits(const MemoFrame* met) {
    end_ = memo_.end;
    // In bytes: both arrays are of frames, and frames have an awkward size.
    const char* needed =
        reinterpret_cast<const char*>(fresh_) +
        (reinterpret_cast<const char*>(met) - reinterpret_cast<const char*>(memo_.frames));
    return memo_.end != StackEnd::kDepth &&
           needed <= reinterpret_cast<const char*>(memo_.fresh_end);
  }

  // Something outside frame `at` has changed (or the stack was too deep to be remembered whole), so
  // the frames from `from` to it hang from another site now. Walking goes on from `at`. Returns
  // the new bound for frames to meet, or null if the depth limit is reached.
  __attribute__((noinline)) MemoFrame* part(MemoFrame* from, MemoFrame* at, FrameState& state) {
    for (; from != at; --from) {
      if (fresh_ == memo_.fresh_end) return give_up(StackEnd::kDepth);
      *fresh_ = *from;
      if (!is_on_stack(fresh_->frame_slot)) fresh_->frame_slot = nullptr;
      ++fresh_;
    }
    state = at->state;
    return at;
  }

  __attribute__((noinline)) bool walk_generally(RowKind kind, FrameState& state,
                                                StackReader& stack) {
    if (kind == RowKind::kOutermost) return give_up(StackEnd::kWhole) != nullptr;
    Step step = kind == RowKind::kGeneral ? step_by_rules(state, stack, memo_.scratch)
                                          : step_by_frame_pointer(state, stack, memo_.scratch);
    if (step != Step::kCaller) return stop(step) != nullptr;
    // A signal handler's caller may be on another stack.
    if (state.sp <= stack.low() || state.sp >= stack.high()) {
      own_ = memo_.own.covers(state.sp);
      stack = reader_at(state.sp);
      crossed_ = true;
    }
    return true;
  }

  MemoFrame* stop(Step step) {
    needs_registers_ = step == Step::kNeedsRegisters;
    return give_up(step == Step::kOutermost ? StackEnd::kWhole : StackEnd::kCut);
  }

  // No remembered frame is part of this stack.
  MemoFrame* give_up(StackEnd end) {
    end_ = end;
    return nullptr;
  }

  // Gives the new frames their sites, from the outside in, and remembers the stack. The remembered
  // frames outside `kept` stay.
  __attribute__((always_inline)) uint32_t remember(MemoFrame* kept) {
    MemoFrame* to = kept != nullptr ? kept : memo_.frames;
    uint32_t site = kept != nullptr ? kept[-1].site : sites_.root(end_);
    for (const MemoFrame* from = fresh_; from-- != memo_.fresh; ++to) {
      to->state = from->state;
      to->return_slot = from->return_slot;
      // A frame pointer that no slot holds is the next frame's by definition.
      to->frame_slot = from->frame_slot != nullptr ? from->frame_slot
                       : to != memo_.frames        ? &to[-1].state.bp
                                                   : &kNever;
      site = sites_.child(site, from->state.pc);
      to->site = site;
    }
    memo_.last_count = static_cast<uint32_t>(to - memo_.frames);
    memo_.count = crossed_ ? 0 : memo_.last_count;
    memo_.end = end_;
    return site;
  }

  StackMemo& memo_;
  Sites& sites_;
  MemoFrame* fresh_ = nullptr;  // the end of the new frames
  StackEnd end_ = StackEnd::kWhole;
  bool own_ = false;      // the walk is on the thread's own stack
  bool crossed_ = false;  // it has gone over to another
  bool needs_registers_ = false;
};

}  // namespace heapledger::runtime
