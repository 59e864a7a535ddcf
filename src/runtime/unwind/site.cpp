#include "runtime/unwind/site.h"

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
  if (id == kNoSite || !room_for(window, kEntryBytes)) return kNoSite;
  // In the file before anybody can refer to it.
  format::LongEntry(window.encoder, format::Kind::kSite, time)
      .number(id)
      .number(parent)
      .number(module)
      .number(pc)
      .finish();
  return publish_site(id, parent, pc);
}

// Nodes of this process's ledger, born as they are needed.
struct LedgerSites {
  Window& window;
  StackMemo* memo;
  uint64_t time;

  uint32_t root(StackEnd end) {
    return end == StackEnd::kWhole ? kNoSite : find_or_bear(kNoSite, static_cast<uint64_t>(end));
  }

  __attribute__((always_inline)) SitePath child(SitePath parent, uint64_t pc) {
    uint64_t key = memo->key_of(pc);
    uint32_t hash = parent.next_hash(key);
    RecentSite& recent = memo->site_of(hash);
    bool known = (recent.key == key) & (recent.parent == parent.site);
    return {__builtin_expect(known, 1) ? recent.site : shared_child(recent, parent.site, pc), hash};
  }

  __attribute__((noinline)) uint32_t shared_child(RecentSite& recent, uint32_t parent,
                                                  uint64_t pc) {
    uint32_t site = find_or_bear(parent, pc);
    if (site != kNoSite) recent = {memo->key_of(pc), parent, site};
    return site;
  }

  uint32_t find_or_bear(uint32_t parent, uint64_t pc) {
    uint32_t site = find_site(parent, pc);
    return site != kNoSite ? site : bear_site(window, parent, pc, time);
  }
};

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

uint32_t site_of(Window& window, uint64_t time, uint64_t pc, uint64_t sp, uint64_t bp) {
  StackMemo* memo = memo_of(window);
  LedgerSites sites = {window, memo, time};
  if (__builtin_expect(memo == nullptr, 0)) {
    return sites.find_or_bear(sites.root(StackEnd::kCut), pc);
  }
  StackCapture<LedgerSites> capture(*memo, sites);
  uint32_t site = capture.run(pc, sp, bp);
  if (__builtin_expect(!capture.needs_registers(), 1)) {
    if (__builtin_expect(cross_check_every != 0, 0)) {
      cross_check(window, *memo, memo->last_count, sp, time);
    }
    return site;
  }
  // Some frame needs a register that only a walk from here can tell.
  FullWalk walk = walk_fully(*memo, sp);
  SitePath path = {sites.root(walk.end), 0};
  for (uint32_t i = walk.count; i-- > 0;) path = sites.child(path, memo->fresh[i].pc);
  memo->count = 0;
  if (cross_check_every != 0) {
    for (uint32_t i = 0; i < walk.count; ++i) {
      memo->frames[walk.count - 1 - i] = memo->fresh[i];
    }
    cross_check(window, *memo, walk.count, sp, time);
  }
  return path.site;
}

}  // namespace heapledger::runtime
