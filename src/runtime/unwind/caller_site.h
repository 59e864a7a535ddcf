// Where no more than the caller is kept of a stack (depth=1), its address says everything: the site
// is found with one look.
#pragma once

#include "runtime/unwind/cross_check.h"
#include "runtime/unwind/site_trie.h"
#include "runtime/unwind/stack_memo.h"
#include "runtime/unwind/unloading.h"

namespace heapledger::runtime {

inline bool keeps_caller_alone(const StackMemo& memo) {
  return memo.capacity == 1;
}

// kNoSite: it is not known.
inline uint32_t known_site_of_caller(StackMemo& memo, uint64_t pc) {
  const uint64_t key = memo.key_of(pc);
  const RecentSite& recent = memo.recent_site(kNoSite, key);
  const bool known = recent.key == key && cross_check_every == 0 &&
                     memo.epoch == code_epoch.load(std::memory_order_acquire);
  return __builtin_expect(known, 1) ? recent.site : kNoSite;
}

inline void keep_site_of_caller(StackMemo& memo, uint64_t pc, uint32_t site) {
  if (site == kNoSite || is_unloading()) return;
  const uint64_t key = memo.key_of(pc);
  memo.recent_site(kNoSite, key) = {key, site_parent(site), site};
}

}  // namespace heapledger::runtime
