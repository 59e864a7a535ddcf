#include "runtime/unwind/site.h"

#include "runtime/ledger/live_image.h"
#include "runtime/unwind/cross_check.h"
#include "runtime/unwind/full_walk.h"
#include "runtime/unwind/modules.h"
#include "runtime/unwind/site_trie.h"
#include "runtime/unwind/stack_capture.h"

namespace heapledger::runtime {
namespace {

constexpr size_t kEntryBytes = 64;

// Enters a new node, with its module, into the ledger; returns its id.
__attribute__((noinline, cold)) uint32_t bear_site(Window& window, uint32_t parent, uint64_t pc,
                                                   uint64_t time) {
  uint32_t module = pc < format::kFirstCode ? kNoModule : module_at(window, pc - 1, time);
  uint32_t id = reserve_site();
  if (id == kNoSite) return kNoSite;
  if (live_tables_wanted()) return publish_site(id, parent, pc, module);
  if (!room_for(window, kEntryBytes)) return kNoSite;
  // In the file before anybody can refer to it.
  format::LongEntry(window.encoder, format::Kind::kSite, time)
      .number(id)
      .number(parent)
      .number(module)
      .number(pc)
      .finish();
  return publish_site(id, parent, pc, module);
}

// Nodes of this process's ledger, born as they are needed.
struct LedgerSites {
  Window& window;
  uint64_t time;

  uint32_t root(StackEnd end) {
    return end == StackEnd::kWhole ? kNoSite : child(kNoSite, static_cast<uint64_t>(end));
  }

  // A child that needs no search; kNoSite: it may be elsewhere.
  static uint32_t child_behind(uint32_t parent, uint64_t pc) {
    return find_site_behind(parent, pc);
  }

  uint32_t child(uint32_t parent, uint64_t pc) {
    uint32_t site = find_site(parent, pc);
    return site != kNoSite ? site : bear_site(window, parent, pc, time);
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

// The thread's memo; its first use by a new thread starts afresh.
StackMemo* memo_of(Window& window) {
  StackMemo* memo = window.memo;
  if (__builtin_expect(memo != nullptr && memo->thread == window.thread, 1)) return memo;
  if (memo == nullptr) memo = filter_expected() ? nullptr : new_memo();
  if (memo == nullptr) return nullptr;
  reset_memo(*memo);
  memo->thread = window.thread;
  window.memo = memo;
  return memo;
}

}  // namespace

constinit StackSizes stack_sizes;

uint32_t site_without_stack(Window& window, uint64_t time) {
  return LedgerSites{window, time}.child(kNoSite, format::kMarkNone);
}

uint32_t site_of(Window& window, uint64_t time, uint64_t pc, uint64_t sp, uint64_t bp) {
  StackMemo* memo = memo_of(window);
  LedgerSites sites = {window, time};
  if (__builtin_expect(memo == nullptr, 0)) {
    return sites.child(sites.root(StackEnd::kCut), pc);
  }
  Captured captured = StackCapture(*memo, sites).run(pc, sp, bp);
  if (__builtin_expect(!captured.needs_registers, 1)) {
    if (__builtin_expect(cross_check_every != 0, 0)) {
      cross_check(window, *memo, memo->last_count, sp, time);
    }
    return captured.site;
  }
  // Some frame needs a register that only a walk from here can tell.
  FullWalk walk = walk_fully(sites, *memo, sp);
  uint32_t site = sites.root(walk.end);
  for (uint32_t i = walk.count; i-- > 0;) site = sites.child(site, memo->fresh[i].pc);
  memo->count = 0;
  if (cross_check_every != 0) {
    for (uint32_t i = 0; i < walk.count; ++i) {
      memo->frames()[walk.count - 1 - i] = memo->fresh[i];
    }
    cross_check(window, *memo, walk.count, sp, time);
  }
  return site;
}

}  // namespace heapledger::runtime
