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

#include "runtime/unwind/careful_walk.h"
#include "runtime/unwind/modules.h"
#include "runtime/unwind/plain_site.h"
#include "runtime/unwind/site_trie.h"
#include "runtime/unwind/stack_memo.h"

namespace heapledger::runtime {

struct Captured {
  uint32_t site;  // of the innermost frame
  // The stack was cut only because a rule needs registers beyond pc, sp and bp.
  bool needs_registers;
};

// There are two ways through: quickly(), for nearly all captures, in registers and without calls;
// and carefully(), which does everything. Whatever the first cannot do at once, the second does
// from the beginning.
//
// The frame pointer matters only to frames whose rule needs it. So a walk does not read it before
// it comes to such a frame; on the way there it only keeps in mind where it was saved last.
//
// `Sites` gives ids to nodes:
//   uint32_t root(StackEnd);
//   uint32_t child(uint32_t parent, const MemoFrame* frame, uint32_t further_inside);
//   void forget_replaced(uint64_t pc);  if what is known there is not about what is there now
template <typename Sites>
class StackCapture {
 public:
  StackCapture(StackMemo& memo, Sites& sites) : memo_(memo), sites_(sites) {}

  // Walks the stack whose innermost frame is at these registers.
  __attribute__((always_inline)) Captured run(uint64_t pc, uint64_t sp, uint64_t bp) {
    uint32_t epoch = code_epoch.load(std::memory_order_acquire);
    bool ready = memo_.own.knows_word(sp) && memo_.on_own_stack && memo_.epoch == epoch;
    uint32_t site;
    if (__builtin_expect(ready, 1) && __builtin_expect(quickly(pc, sp, bp, site), 1)) {
      memo_.note_whether_plain();
      return {site, false};
    }
    Captured captured = carefully(memo_, sites_, {pc, sp, bp});
    memo_.note_whether_plain();
    return captured;
  }

 private:
  static constexpr auto kReturnSlot = static_cast<uint64_t>(arch::kReturnSlot);

  static const uint64_t* word(uint64_t at) { return reinterpret_cast<const uint64_t*>(at); }

  // Walks until a remembered frame is met with which, outwards, memory agrees. If it returns false
  // the remembered stack is as it was.
  __attribute__((always_inline)) bool quickly(uint64_t pc, uint64_t sp, uint64_t bp,
                                              uint32_t& site) {
    StackMemo& memo = memo_;
    MemoFrame* fresh = memo.fresh;
    MemoFrame* const fresh_end = fresh + memo.capacity;
    const uint64_t last_slot = memo.own.high() - 8;
    const uint64_t epoch = memo.frame_epoch();
    uint64_t slot = sp + kReturnSlot;
    memo.first_bp = bp;
    const uint64_t* bp_slot = &memo.first_bp;  // where the frame pointer is, and since which frame
    const MemoFrame* bp_start = fresh;
    uint32_t uses = 0;
    uint32_t bound = memo.count;  // so many of the remembered frames may still be met
    for (;;) {
      KnownFrame& known = memo.known_frame(pc, word(slot));
      const uint64_t offset = memo.offset_of(word(slot));
      const MemoFrame& met = memo.frame_at(offset);
      const bool is_met = ((met.pc ^ pc) | (reinterpret_cast<uint64_t>(met.slot) ^ slot)) == 0;
      if (uint32_t place = StackMemo::place_at(offset); is_met && place < bound) {
        if (__builtin_expect(memo.suits(place, *bp_slot), 1) && agrees(place, bound)) {
          uint32_t count = memo.number_of(fresh);
          if (__builtin_expect(!memo.may_have(count + place + 1), 0)) return false;
          if (count == 0 && memo.span_count == 0) {
            memo.last_count = memo.count = place + 1;
            site = memo.sites[place];
            return true;
          }
          if (memo.is_in_span(place)) {
            memo.note_use(uses, {bp_slot, *bp_slot, memo.number_of(bp_start), count});
          }
          site = remember(memo, sites_, place + 1, count, uses);
          return true;
        }
      }
      if (__builtin_expect(fresh == fresh_end, 0)) {
        // Cut right here, as the last one was?
        if (memo.end != StackEnd::kDepth || memo.cut_step != 0 || pc == 0) return false;
        site = remember(memo, sites_, 0, memo.capacity, uses);
        return true;
      }
      fresh->pc = pc;
      fresh->slot = word(slot);
      ++fresh;
      uint64_t caller = slot + known.caller;
      if (__builtin_expect(known.key == (pc ^ epoch) && caller <= last_slot, 1)) {
        slot = caller;
        pc = *word(slot);
        if (known.saved != 0) {
          bp_slot = word(slot + static_cast<uint64_t>(int64_t{known.saved}));
          bp_start = fresh;
        }
        continue;
      }
      Row row = Row::unpack(row_of_frame(memo, known, pc));
      uint64_t cfa_offset = static_cast<uint64_t>(int64_t{row.cfa_offset});
      uint64_t frame_offset = static_cast<uint64_t>(int64_t{row.frame_offset});
      bool is_saved = row.frame_offset != 0;
      if (row.kind == RowKind::kStack) {
        // Both offsets keep to words of this frame: see condense().
        slot += cfa_offset;
        if (__builtin_expect(slot > last_slot, 0)) return false;
        if (is_saved) {
          bp_slot = word(slot - kReturnSlot + frame_offset);
          bp_start = fresh;
        }
      } else {
        if (__builtin_expect(!row.is_by_frame_pointer(), 0)) return false;
        uint64_t value = *bp_slot;
        uint32_t user = memo.number_of(fresh) - 1;
        memo.note_use(uses, {bp_slot, value, memo.number_of(bp_start), user});
        uint64_t next = value + cfa_offset + kReturnSlot;
        uint64_t saved = value + cfa_offset + frame_offset;
        bool good = (next > slot) & (next <= last_slot) & ((next & 7) == 0);
        bool good_saved = (saved >= sp) & (saved <= last_slot) & ((saved & 7) == 0);
        if (__builtin_expect(!(good & (good_saved | !is_saved)), 0)) return false;
        if (is_saved) {
          bp_slot = word(saved);
          bp_start = fresh;
        }
        slot = next;
        if (__builtin_expect(!row.may_lead_to(*word(slot)), 0)) return false;
      }
      pc = *word(slot);
    }
  }

  // Whether memory agrees with all of the remembered stack outside the frame at `place`. If not,
  // only the outermost `bound` frames may be worth another look.
  __attribute__((always_inline)) bool agrees(uint32_t place, uint32_t& bound) const {
    if (const MemoFrame* other = memo_.disagreement(memo_.frames()[place]); other != nullptr) {
      bound = static_cast<uint32_t>(other - memo_.frames());
      return false;
    }
    for (uint32_t i = 0; i < memo_.span_count; ++i) {
      const PointerSpan& span = memo_.spans[i];
      if (span.place >= place) break;
      if (*span.slot != span.bp) {
        bound = span.place + 1;
        return false;
      }
    }
    return true;
  }

  __attribute__((noinline)) static Captured carefully(StackMemo& memo, Sites& sites,
                                                      FrameState state) {
    CarefulWalk walk = walk_carefully(memo, state);
    if (walk.kept == 0) {
      memo.sites[-1] = sites.root(walk.end);
      memo.set_end(walk.end, walk.outside);
    }
    uint32_t site = remember(memo, sites, walk.kept, walk.fresh, walk.uses);
    if (walk.crossed) memo.count = 0;
    return {site, walk.needs_registers};
  }

  // Gives the new frames their sites, from the outside in, and remembers the stack. Of the
  // remembered frames the outermost `kept` stay.
  __attribute__((always_inline)) static uint32_t remember(StackMemo& memo, Sites& sites,
                                                          uint32_t kept, uint32_t count,
                                                          uint32_t uses) {
    if (is_unloading()) return remember_carefully(memo, sites, kept, count, uses);
    const uint64_t epoch = memo.frame_epoch();
    const MemoFrame* fresh = memo.fresh + count;
    uint32_t* ids = memo.sites + kept;
    uint32_t site = ids[-1];
    const uint32_t end = kept + count;
    const uint64_t end_offset = uint64_t{end} * sizeof(MemoFrame);
    uint64_t offset = uint64_t{kept} * sizeof(MemoFrame);
    for (; offset != end_offset; offset += sizeof(MemoFrame)) {
      --fresh;
      const uint64_t pc = fresh->pc;
      const uint64_t* slot = fresh->slot;
      KnownFrame& known = memo.known_frame(pc, slot);
      if (known.key == (pc ^ epoch) && known.parent == site) {
        site = known.site;
      } else {
        site = child(memo, sites, known, site, fresh);
      }
      memo.frame_at(offset) = {pc, slot};
      *ids++ = site;
      memo.offset_of(slot) = static_cast<uint16_t>(offset);
    }
    memo.last_count = end;
    memo.count = end;
    if (__builtin_expect((uses | memo.span_count) != 0, 0)) remember_uses(memo, kept, count, uses);
    return site;
  }

  // Where what is known may have gone meanwhile.
  __attribute__((noinline, cold)) static uint32_t remember_carefully(StackMemo& memo, Sites& sites,
                                                                     uint32_t kept, uint32_t count,
                                                                     uint32_t uses) {
    uint32_t site = memo.sites[static_cast<int32_t>(kept) - 1];
    for (uint32_t i = 0; i < count; ++i) {
      const MemoFrame& frame = memo.fresh[count - 1 - i];
      RecentSite& recent = memo.recent_site(site, memo.key_of(frame.pc));
      bool known = (recent.key == memo.key_of(frame.pc)) & (recent.parent == site);
      site = known ? recent.site : shared_child(memo, sites, recent, site, &frame);
      memo.frames()[kept + i] = frame;
      memo.sites[kept + i] = site;
      memo.offset_of(frame.slot) = static_cast<uint16_t>((kept + i) * sizeof(MemoFrame));
    }
    memo.last_count = kept + count;
    memo.count = kept + count;
    if ((uses | memo.span_count) != 0) remember_uses(memo, kept, count, uses);
    return site;
  }

  // The site of a frame below its caller's, found or born.
  __attribute__((noinline)) static uint32_t child(StackMemo& memo, Sites& sites, KnownFrame& known,
                                                  uint32_t parent, const MemoFrame* frame) {
    const uint64_t pc = frame->pc;
    uint32_t site = site_at_hand(memo, parent, pc);
    if (__builtin_expect(site == kNoSite, 0)) {
      RecentSite& recent = memo.recent_site(parent, memo.key_of(pc));
      site = shared_child(memo, sites, recent, parent, frame);
    }
    if (known.key == memo.frame_key(pc) && !is_unloading()) {
      known.parent = parent;
      known.site = site;
    }
    return site;
  }

  // The frames further inside stand before `frame`.
  __attribute__((noinline)) static uint32_t shared_child(StackMemo& memo, Sites& sites,
                                                         RecentSite& recent, uint32_t parent,
                                                         const MemoFrame* frame) {
    const uint64_t pc = frame->pc;
    if (is_unloading()) {
      // One at a time: each may be another's by now.
      bool passing = is_passing(memo, sites, pc);
      uint32_t site = sites.child(parent, frame, 0);
      if (!passing && site != kNoSite) recent = {memo.key_of(pc), parent, site};
      return site;
    }
    uint32_t site = sites.child(parent, frame, memo.number_of(frame));
    if (site != kNoSite) recent = {memo.key_of(pc), parent, site};
    if (++memo.site_misses >= 2 * memo.sites_in_use()) grow_sites(memo);
    return site;
  }

  // Whether nothing about this code may be kept. What is known about it is true from now on.
  __attribute__((noinline, cold)) static bool is_passing(StackMemo& memo, Sites& sites,
                                                         uint64_t pc) {
    if (!may_be_replaced(pc)) return false;
    memo.expire();
    sites.forget_replaced(pc);
    return true;
  }

  StackMemo& memo_;
  Sites& sites_;
};

}  // namespace heapledger::runtime
