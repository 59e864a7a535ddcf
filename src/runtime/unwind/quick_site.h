// The site of a call, for hooks where every instruction counts: what needs no call is done in
// place.
#pragma once

#include "runtime/ledger/entry_guard.h"
#include "runtime/unwind/caller_site.h"
#include "runtime/unwind/plain_site.h"
#include "runtime/unwind/site.h"

namespace heapledger::runtime {

template <typename Time>
__attribute__((always_inline)) inline uint32_t quick_site_for(Window& window, Time time,
                                                              uint64_t size, uint64_t pc,
                                                              uint64_t sp, uint64_t bp) {
  if (__builtin_expect(!stack_sizes.hold(size), 0)) {
    return site_without_stack(window, units_of(window, time));
  }
  if (StackMemo* memo = window.plain_memo; __builtin_expect(memo != nullptr, 1)) {
    if (uint32_t site = plain_site(*memo, pc, sp); __builtin_expect(site != kNoSite, 1)) {
      return site;
    }
    return site_in(window, *memo, units_of(window, time), pc, sp, bp);
  }
  if (CallerSites* callers = window.callers; callers != nullptr) {
    if (uint32_t site = known_site_of_caller(*callers, pc); site != kNoSite) return site;
  }
  return site_of(window, units_of(window, time), pc, sp, bp);
}

// With depth=1, of a caller that the thread has met; else kNoSite.
__attribute__((always_inline)) inline uint32_t quick_site_of_caller(Window& window, uint64_t size,
                                                                    uint64_t pc) {
  CallerSites* callers = window.callers;
  if (__builtin_expect(callers == nullptr || !stack_sizes.hold(size), 0)) return kNoSite;
  return known_site_of_caller(*callers, pc);
}

}  // namespace heapledger::runtime
