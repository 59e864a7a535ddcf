#include "runtime/unwind/site.h"

#include "runtime/ledger/live_image.h"
#include "runtime/unwind/caller_site.h"
#include "runtime/unwind/codes.h"
#include "runtime/unwind/cross_check.h"
#include "runtime/unwind/full_walk.h"
#include "runtime/unwind/modules.h"
#include "runtime/unwind/plain_site.h"
#include "runtime/unwind/site_trie.h"
#include "runtime/unwind/stack_capture.h"

namespace heapledger::runtime {
namespace {

// Frames that have no nodes yet, from the outside in: pc(0) is the outermost.
struct NewFrames {
  const MemoFrame* outermost;
  uint32_t count;

  uint64_t pc(uint32_t i) const { return (outermost - i)->pc; }
};

// What a run of frames is entered as. Runs of more come in pieces: a hook has little stack.
struct Codes {
  static constexpr uint32_t kMost = 32;
  static constexpr size_t kEntryBytes = 64 + kMost * 5;

  uint32_t numbers[kMost];
  uint32_t modules[kMost];
};

// The code of one frame. What was known of what was there before is forgotten. A module that was
// found to be there, `checked`, is not looked for again.
Code present_code(Window& window, uint64_t pc, uint64_t time, uint32_t& checked) {
  Code code = code_at(window, pc, time);
  bool is_sure = pc < format::kFirstCode || (code.module == checked && checked != kNoModule);
  if (is_sure) return code;
  if (!is_replaced(code.module, pc - 1)) {
    checked = code.module;
    return code;
  }
  if (module_at(window, pc - 1, time) == code.module) return code;  // no room for another one
  if (code.module == kNoModule) begin_epoch();
  forget_codes(pc - 1, pc);
  return code_at(window, pc, time);
}

// Enters the frames into the ledger as new nodes, of which the first hangs from `parent`; returns
// its id. The others, or as many of them as were entered with it, have those behind it.
__attribute__((noinline, cold)) uint32_t bear_sites(Window& window, uint32_t parent,
                                                    NewFrames frames, uint64_t time) {
  Codes codes;
  uint32_t count = frames.count < Codes::kMost ? frames.count : Codes::kMost;
  uint32_t checked = kNoModule;
  for (uint32_t i = 0; i < count; ++i) {
    Code code = present_code(window, frames.pc(i), time, checked);
    if (code.number == 0) return kNoSite;
    codes.numbers[i] = code.number;
    codes.modules[i] = code.module;
  }
  uint32_t id = reserve_sites(count);
  if (id == kNoSite) return kNoSite;
  // In the file before anybody can refer to it.
  if (!live_tables_wanted()) {
    if (!room_for(window, Codes::kEntryBytes)) return kNoSite;
    format::LongEntry entry(window.encoder, format::Kind::kChain, time);
    entry.number(id).number(id - parent);
    for (uint32_t i = 0; i < count; ++i) entry.number(codes.numbers[i]);
    entry.finish();
  }
  for (uint32_t i = count; i-- > 1;) fill_site(id + i, id + i - 1, frames.pc(i), codes.modules[i]);
  return publish_sites(id, count, parent, frames.pc(0), codes.modules[0]);
}

// Nodes of this process's ledger, born as they are needed.
struct LedgerSites {
  Window& window;
  uint64_t time;

  uint32_t root(StackEnd end) {
    return end == StackEnd::kWhole ? kNoSite : child(kNoSite, static_cast<uint64_t>(end));
  }

  // If the child is not known, none of the frames further inside is, below it: they come along.
  uint32_t child(uint32_t parent, const MemoFrame* frame, uint32_t further_inside) {
    uint32_t site = find_site(parent, frame->pc);
    return site != kNoSite ? site : bear_sites(window, parent, {frame, 1 + further_inside}, time);
  }
  uint32_t child(uint32_t parent, uint64_t pc) {
    MemoFrame frame = {pc, nullptr};
    return child(parent, &frame, 0);
  }

  // If what is known there is of a module that has just gone, it is forgotten.
  void forget_replaced(uint64_t pc) { module_at(window, pc - 1, time); }
};

// A walk with all registers, after which what is known about its frames is true.
__attribute__((noinline)) FullWalk walk_fully(LedgerSites& sites, StackMemo& memo, uint64_t sp) {
  FullWalk walk = walk_fully(memo, sp);
  if (!is_unloading()) return walk;
  for (uint32_t i = 0; i < walk.count; ++i) {
    if (may_be_replaced(memo.fresh[i].pc)) sites.forget_replaced(memo.fresh[i].pc);
  }
  return walk;
}

// The first use of a memo by a thread.
StackMemo* begin_memo(Window& window) {
  StackMemo* memo = window.memo;
  if (memo == nullptr) memo = filter_expected() ? nullptr : new_memo();
  if (memo == nullptr) return nullptr;
  reset_memo(*memo);
  memo->thread = window.thread;
  window.memo = memo;
  return memo;
}

// The thread's memo, from now on for its quick ways, too.
StackMemo* memo_of(Window& window) {
  StackMemo* memo = own_memo(window);
  if (memo == nullptr) memo = begin_memo(window);
  if (memo == nullptr || cross_check_every != 0) return memo;
  window.callers = memo->callers;
  window.plain_memo = memo->callers == nullptr ? memo : nullptr;
  return memo;
}

__attribute__((always_inline)) inline uint32_t site_of_stack(LedgerSites& sites, StackMemo& memo,
                                                             uint64_t pc, uint64_t sp,
                                                             uint64_t bp) {
  Captured captured = StackCapture(memo, sites).run(pc, sp, bp);
  if (__builtin_expect(!captured.needs_registers, 1)) {
    if (__builtin_expect(cross_check_every != 0, 0)) {
      cross_check(sites.window, memo, memo.last_count, sp, sites.time);
    }
    return captured.site;
  }
  // Some frame needs a register that only a walk from here can tell.
  FullWalk walk = walk_fully(sites, memo, sp);
  uint32_t site = sites.root(walk.end);
  for (uint32_t i = walk.count; i-- > 0;) site = sites.child(site, &memo.fresh[i], i);
  memo.count = 0;
  if (cross_check_every != 0) {
    for (uint32_t i = 0; i < walk.count; ++i) {
      memo.frames()[walk.count - 1 - i] = memo.fresh[i];
    }
    cross_check(sites.window, memo, walk.count, sp, sites.time);
  }
  return site;
}

__attribute__((noinline)) uint32_t site_of_caller(LedgerSites& sites, StackMemo& memo, uint64_t pc,
                                                  uint64_t sp, uint64_t bp) {
  if (cross_check_every == 0) {
    if (uint32_t known = known_site_of_caller(*memo.callers, pc); known != kNoSite) return known;
  }
  uint32_t site = site_of_stack(sites, memo, pc, sp, bp);
  keep_site_of_caller(memo, pc, site);
  return site;
}

}  // namespace

constinit StackSizes stack_sizes;

uint32_t site_without_stack(Window& window, uint64_t time) {
  return LedgerSites{window, time}.child(kNoSite, format::kMarkNone);
}

uint32_t site_in(Window& window, StackMemo& memo, uint64_t time, uint64_t pc, uint64_t sp,
                 uint64_t bp) {
  LedgerSites sites = {window, time};
  return site_of_stack(sites, memo, pc, sp, bp);
}

uint32_t site_of(Window& window, uint64_t time, uint64_t pc, uint64_t sp, uint64_t bp) {
  LedgerSites sites = {window, time};
  StackMemo* memo = memo_of(window);
  if (__builtin_expect(memo == nullptr, 0)) return sites.child(sites.root(StackEnd::kCut), pc);
  if (memo->callers != nullptr) return site_of_caller(sites, *memo, pc, sp, bp);
  uint32_t site = plain_site(*memo, pc, sp);
  if (site == kNoSite) return site_of_stack(sites, *memo, pc, sp, bp);
  if (cross_check_every != 0) cross_check(window, *memo, memo->last_count, sp, time);
  return site;
}

}  // namespace heapledger::runtime
