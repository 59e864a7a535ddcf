// Where no more than the caller is kept of a stack (depth=1), its address says everything: the site
// is found with one look.
#pragma once

#include "runtime/unwind/site_trie.h"
#include "runtime/unwind/stack_memo.h"
#include "runtime/unwind/unloading.h"

namespace heapledger::runtime {

// kNoSite: it is not known.
__attribute__((always_inline)) inline uint32_t known_site_of_caller(CallerSites& callers,
                                                                    uint64_t pc) {
  const CallerSite& known = callers.of(pc);
  const bool is_known = known.pc == pc && known.epoch == code_epoch.load(std::memory_order_acquire);
  return __builtin_expect(is_known, 1) ? known.site : kNoSite;
}

// Of a site that was found in the memo's epoch.
inline void keep_site_of_caller(StackMemo& memo, uint64_t pc, uint32_t site) {
  if (site != kNoSite && !is_unloading()) memo.callers->of(pc) = {pc, memo.epoch, site};
}

}  // namespace heapledger::runtime
