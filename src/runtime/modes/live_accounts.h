// The accounts of live mode: what each site has asked for, and what of it is alive.
#pragma once

#include <cstdint>

#include "format/live_tables.h"
#include "runtime/ledger/live_image.h"
#include "runtime/os/sole_or_shared.h"

namespace heapledger::runtime {

inline constexpr unsigned kAccountBits = 14;  // of the accounts in a part

// Null: no memory for it.
inline format::LiveAccount* account_of(uint32_t site) {
  void* part = known_live_part(live_account_places, site >> kAccountBits);
  if (__builtin_expect(part == nullptr, 0)) {
    part = live_part(format::LiveKind::kAccounts, site >> kAccountBits);
    if (part == nullptr) return nullptr;
  }
  return static_cast<format::LiveAccount*>(part) + (site & ((1u << kAccountBits) - 1));
}

inline uint64_t kept_size(uint64_t size) {
  return size < format::kLiveMaxSize ? size : format::kLiveMaxSize;
}

__attribute__((always_inline)) inline void add_to_account(uint32_t site, uint64_t size) {
  format::LiveAccount* account = account_of(site);
  if (__builtin_expect(account == nullptr, 0)) return;
  uint64_t live;
  if (os::is_only_thread()) {
    os::add_own(account->calls, 1);
    os::add_own(account->bytes, size);
    live = os::add_own_and_get(account->live, kept_size(size));
  } else {
    os::add(account->calls, 1);
    os::add(account->bytes, size);
    live = os::add_and_get(account->live, kept_size(size));
  }
  uint64_t peak = __atomic_load_n(&account->peak, __ATOMIC_RELAXED);
  // Signed: where there was no memory for an account at first, it may be below zero.
  while (static_cast<int64_t>(live) > static_cast<int64_t>(peak) &&
         !os::exchange(account->peak, peak, live)) {
  }
}

__attribute__((always_inline)) inline void take_from_account(uint32_t site, uint64_t size) {
  format::LiveAccount* account = account_of(site);
  if (account != nullptr) os::add(account->live, uint64_t{0} - size);
}

}  // namespace heapledger::runtime
