// Entries for what the program maps itself (maps=on), beside any mode but off and live. Sizes are
// entered in whole pages, as the kernel maps them. What is given back is stamped before the call
// and entered after it, so that another thread that gets the same addresses comes later.
#pragma once

#include "runtime/ledger/settings_in_force.h"
#include "runtime/unwind/site.h"

namespace heapledger::runtime {

inline bool maps_are_entered() {
  const settings::Settings& asked = settings_in_force;
  // The tables of live mode are of malloc's blocks alone, and its ledger must not grow.
  return __builtin_expect(asked.maps, 0) && asked.mode != settings::Mode::kOff &&
         asked.mode != settings::Mode::kLive;
}

// The time for the entry of something that is about to be given back.
uint64_t time_before_unmap();

void enter_map(const void* at, size_t bytes, const Caller& caller);
void enter_unmap(uint64_t time, const void* at, size_t bytes);
// `old_bytes` is 0 when the old range stays.
void enter_remap(uint64_t time, const void* old, size_t old_bytes, const void* at, size_t bytes,
                 const Caller& caller);
void enter_break(uint64_t time, const void* old_end, const void* end, const Caller& caller);

}  // namespace heapledger::runtime
