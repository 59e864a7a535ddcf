#include "runtime/unwind/careful_walk.h"

#include <arch_registers.h>

namespace heapledger::runtime {
namespace {

constexpr uint64_t kCarefulPageBytes = 4096;
constexpr auto kReturnSlot = static_cast<uint64_t>(arch::kReturnSlot);
constexpr uint32_t kMostCounted = 1u << 13;  // of still deeper stacks the cut moves with the depth
constexpr uint64_t kNever = 0;               // no pc is zero

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
    uint32_t place = StackMemo::place_at(memo_.offset_of(slot_));
    if (place >= bound_ || !is_at(place)) return false;
    bound_ = disagreement(place);
    if (bound_ != 0) return false;
    uint32_t frames = walk_.fresh + place + 1;
    if (!memo_.may_have(frames)) {
      frames_in_all_ = memo_.outside + frames;  // so much is known, though it is cut elsewhere now
      return false;
    }
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
      if (memo_.cut_step != 0) cut();
      walk_.end = StackEnd::kDepth;
      return false;
    }
    memo_.fresh[walk_.fresh] = {state_.pc, slot_};
    ++walk_.fresh;
    return true;
  }

  // The walk is at the first frame that is too much. How many frames are left out depends on how
  // many there are in all, counted from the outermost: however often the stack grows and shrinks,
  // its frames keep their sites, but for a few.
  void cut() {
    uint32_t all = frames_in_all_ != 0 ? frames_in_all_ : count_all();
    uint32_t beyond = all - memo_.capacity;
    walk_.outside = (beyond + memo_.cut_step - 1) / memo_.cut_step * memo_.cut_step;
    walk_.fresh -= walk_.outside - beyond;
    while (walk_.uses > 0 && memo_.uses[walk_.uses - 1].start >= walk_.fresh) --walk_.uses;
    if (walk_.uses == 0) return;
    uint32_t& user = memo_.uses[walk_.uses - 1].user;
    if (user >= walk_.fresh) user = walk_.fresh - 1;
  }

  uint32_t count_all() {
    const CarefulWalk so_far = walk_;
    counting_ = true;
    uint32_t frames = walk_.fresh + 1;
    while (frames < kMostCounted && step()) ++frames;
    walk_ = so_far;
    return frames;
  }

  // One frame outwards. False: the walk ends here.
  bool step() {
    Row row = Row::unpack(recent_row(memo_, state_.pc));
    if (row.kind == RowKind::kOutermost) return ends(Step::kOutermost);
    if (counting_ && !row.is_usual()) return false;  // costs too much for a number
    if (row.kind != RowKind::kStack) note_use(walk_.fresh - 1);
    if (row.is_usual()) {
      uint64_t saved_at = 0;
      Step step = step_by_row(row, stack_, state_, saved_at);
      if (step != Step::kCaller) return ends(step);
      if (!row.may_lead_to(state_.pc)) return ends(Step::kCut);
      slot_ = word(state_.sp + kReturnSlot);
      if (saved_at != 0) has_pointer_from(word(saved_at));
      return true;
    }
    bool is_blind = row.kind == RowKind::kUnknown;
    const FrameState before = state_;
    Step step = is_blind ? step_by_frame_pointer(state_, stack_, memo_.scratch)
                         : step_by_rules(state_, stack_, memo_.scratch);
    if (step != Step::kCaller) return ends(step);
    if (is_blind) {
      // The code at this address keeps frame pointers: it has a row like any other.
      constexpr auto kFrameBytes = static_cast<int32_t>(arch::kFrameBytes);
      keep_row(memo_, before.pc, {RowKind::kChained, kFrameBytes, -kFrameBytes});
      slot_ = word(state_.sp + kReturnSlot);
      has_pointer_from(word(before.bp));
      return true;
    }
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
    if (counting_) return;
    memo_.note_use(walk_.uses, {pointer_slot_, state_.bp, pointer_start_, user});
  }

  StackMemo& memo_;
  FrameState state_;
  const uint64_t* slot_;
  const uint64_t* pointer_slot_ = nullptr;
  uint32_t pointer_start_ = 0;
  StackReader stack_;
  uint32_t frames_in_all_ = 0;  // 0: not known
  bool counting_ = false;       // beyond the limit: nothing is kept
  uint32_t bound_;              // so many of the remembered frames may still be met
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
