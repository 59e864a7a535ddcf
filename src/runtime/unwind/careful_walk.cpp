#include "runtime/unwind/careful_walk.h"

#include <arch_registers.h>

namespace heapledger::runtime {
namespace {

constexpr uint64_t kCarefulPageBytes = 4096;
constexpr auto kReturnSlot = static_cast<uint64_t>(arch::kReturnSlot);
constexpr uint64_t kNever = 0;  // no pc is zero

const uint64_t* word(uint64_t at) {
  return reinterpret_cast<const uint64_t*>(at);
}

StackReader reader_at(StackMemo& memo, uint64_t sp) {
  uint64_t low = sp & ~uint64_t{7};
  return memo.own.covers(sp)
             ? StackReader(low, memo.own.high(), false)
             : StackReader(low, (sp / kCarefulPageBytes + 1) * kCarefulPageBytes, true);
}

class Walk {
 public:
  Walk(StackMemo& memo, const FrameState& state)
      : memo_(memo),
        state_(state),
        slot_(word(state.sp + kReturnSlot)),
        stack_(reader_at(memo, state.sp)),
        bound_(memo.count) {}

  CarefulWalk run() {
    while (!meets() && add() && step()) {
    }
    return walk_;
  }

 private:
  // Whether the walk is at a remembered frame and the rest is as remembered.
  bool meets() {
    uint32_t place = memo_.place_of(slot_);
    if (place >= bound_ || !is_at(place)) return false;
    bool whole = memo_.end != StackEnd::kDepth && walk_.fresh + place < memo_.capacity;
    bound_ = disagreement(place);
    if (!whole || bound_ != 0) return false;
    if (memo_.needs[place] != 0) note_use(walk_.fresh);
    walk_.kept = place + 1;
    return true;
  }

  bool is_at(uint32_t place) const {
    const MemoFrame& met = memo_.frames()[place];
    return met.slot == slot_ && met.pc == state_.pc && memo_.suits(place, state_.bp);
  }

  // 0 if memory agrees with all of the remembered stack outside the frame at `place`; if not, how
  // many frames may be worth another look. Every read is checked: the stack may have been unmapped
  // and mapped again.
  uint32_t disagreement(uint32_t place) {
    auto differs = [this](const uint64_t* slot, uint64_t expected) {
      uint64_t value;
      return !stack_.read(reinterpret_cast<uint64_t>(slot), value) || value != expected;
    };
    for (uint32_t at = place; at-- > 0;) {
      const MemoFrame& frame = memo_.frames()[at];
      if (frame.slot == &kNever || differs(frame.slot, frame.pc)) return at + 1;
    }
    for (uint32_t i = 0; i < memo_.span_count && memo_.spans[i].place < place; ++i) {
      const PointerSpan& span = memo_.spans[i];
      if (span.slot != &span.bp && differs(span.slot, span.bp)) return span.place + 1;
    }
    return 0;
  }

  // Adds the frame where the walk is. False at the depth limit.
  bool add() {
    if (walk_.fresh == memo_.capacity) {
      walk_.end = StackEnd::kDepth;
      return false;
    }
    memo_.fresh[walk_.fresh] = {state_.pc, slot_};
    ++walk_.fresh;
    return true;
  }

  // One frame outwards. False: the walk ends here.
  bool step() {
    Row row = Row::unpack(recent_row(memo_, state_.pc));
    if (row.kind == RowKind::kOutermost) return ends(Step::kOutermost);
    if (row.kind != RowKind::kStack) note_use(walk_.fresh - 1);
    if (row.is_usual()) {
      uint64_t saved_at = 0;
      Step step = step_by_row(row, stack_, state_, saved_at);
      if (step != Step::kCaller) return ends(step);
      slot_ = word(state_.sp + kReturnSlot);
      if (saved_at != 0) has_pointer_from(word(saved_at));
      return true;
    }
    Step step = row.kind == RowKind::kGeneral
                    ? step_by_rules(state_, stack_, memo_.scratch)
                    : step_by_frame_pointer(state_, stack_, memo_.scratch);
    if (step != Step::kCaller) return ends(step);
    slot_ = &kNever;
    has_pointer_from(nullptr);
    // A signal handler's caller may be on another stack.
    if (state_.sp <= stack_.low() || state_.sp >= stack_.high()) {
      stack_ = reader_at(memo_, state_.sp);
      walk_.crossed = true;
    }
    if (walk_.crossed) bound_ = 0;  // frames are no longer in one order
    return true;
  }

  bool ends(Step step) {
    walk_.needs_registers = step == Step::kNeedsRegisters;
    walk_.end = step == Step::kOutermost ? StackEnd::kWhole : StackEnd::kCut;
    return false;
  }

  // The frame pointer of the next frame was read there.
  void has_pointer_from(const uint64_t* slot) {
    pointer_slot_ = slot;
    pointer_start_ = walk_.fresh;
  }

  void note_use(uint32_t user) {
    memo_.note_use(walk_.uses, {pointer_slot_, state_.bp, pointer_start_, user});
  }

  StackMemo& memo_;
  FrameState state_;
  const uint64_t* slot_;
  const uint64_t* pointer_slot_ = nullptr;
  uint32_t pointer_start_ = 0;
  StackReader stack_;
  uint32_t bound_;  // so many of the remembered frames may still be met
  CarefulWalk walk_;
};

}  // namespace

__attribute__((noinline)) CarefulWalk walk_carefully(StackMemo& memo, const FrameState& state) {
  uint32_t epoch = code_epoch.load(std::memory_order_acquire);
  if (memo.epoch != epoch) enter_epoch(memo, epoch);
  bool own = memo.own.covers(state.sp);
  if (memo.on_own_stack != own) memo.count = 0;
  memo.on_own_stack = own;
  return Walk(memo, state).run();
}

}  // namespace heapledger::runtime
