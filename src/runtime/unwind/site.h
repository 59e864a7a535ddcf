// From where a hook was called to the id of its site. For now a site is one frame, the hook's
// caller; full stacks will come in behind this same function.
#pragma once

#include <cstdint>

#include "runtime/ledger/window.h"
#include "runtime/unwind/site_trie.h"

namespace heapledger::runtime {

// Where a hook was called from.
struct Caller {
  const void* pc;  // return address
};

// Enters a site that was not known, with its module, into the ledger; returns its id. kNoSite if
// that is not possible.
uint32_t bear_site(Window& window, uint64_t pc, uint64_t time);

inline uint32_t site_of(Window& window, Caller caller, uint64_t time) {
  auto pc = reinterpret_cast<uint64_t>(caller.pc);
  uint32_t site = find_site(kNoSite, pc);
  return __builtin_expect(site != kNoSite, 1) ? site : bear_site(window, pc, time);
}

}  // namespace heapledger::runtime
