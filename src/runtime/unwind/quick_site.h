// The site of a call, for hooks where every instruction counts: what needs no call is done in
// place.
#pragma once

#include "runtime/unwind/caller_site.h"
#include "runtime/unwind/site.h"

namespace heapledger::runtime {

__attribute__((always_inline)) inline uint32_t quick_site_for(Window& window, uint64_t time,
                                                              uint64_t size, uint64_t pc,
                                                              uint64_t sp, uint64_t bp) {
  if (__builtin_expect(!stack_sizes.hold(size), 0)) return site_without_stack(window, time);
  StackMemo* memo = own_memo(window);
  if (__builtin_expect(memo == nullptr, 0)) return site_of(window, time, pc, sp, bp);
  if (keeps_caller_alone(*memo)) {
    if (uint32_t site = known_site_of_caller(*memo, pc); site != kNoSite) return site;
  }
  return site_in(window, *memo, time, pc, sp, bp);
}

}  // namespace heapledger::runtime
