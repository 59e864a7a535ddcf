// Who owns which of a fixed number of tables: one for each thread, handed on when the kernel no
// longer knows the thread. There is no exit handler, so a thread that allocates after its
// destructors ran is like any other. Table 0 is nobody's: it is for those that find no other.
//
// Thread safety: all of it, signal handlers included; a thread that is interrupted while it takes
// a table may end up with two, of which it uses one.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/os/os.h"

namespace heapledger::runtime {

template <uint32_t kTables>
class TableOwners {
 public:
  static constexpr uint32_t kNone = 0;
  // A thread whose number is not known: its table is never handed on.
  static constexpr uint32_t kForGood = UINT32_MAX;

  // Looking for a table costs system calls, which those that found none shall not pay at every
  // call: false while it is too early to look again.
  bool may_look() {
    uint32_t left = until_look_.load(std::memory_order_relaxed);
    if (left == 0) return true;
    until_look_.compare_exchange_strong(left, left - 1, std::memory_order_relaxed);
    return false;
  }
  void found_none() { until_look_.store(kCallsPerLook, std::memory_order_relaxed); }

  // A table below `end` that nobody has had.
  uint32_t take_unused(uint32_t end, uint32_t tid) {
    for (uint32_t table = unused_.load(std::memory_order_relaxed); table < end; ++table) {
      if (!take(table, 0, tid)) continue;
      unused_.store(table + 1, std::memory_order_relaxed);
      return table;
    }
    return kNone;
  }

  // One whose owner is gone; looks at a few only, so that no thread start costs much.
  uint32_t take_over(uint32_t end, uint32_t tid) {
    for (uint32_t look = 0; look < kLooks && end > 1; ++look) {
      uint32_t table = 1 + hand_.fetch_add(1, std::memory_order_relaxed) % (end - 1);
      uint32_t owner = owners_[table].load(std::memory_order_acquire);
      if (owner == 0 || owner == kForGood) continue;
      if (owner != tid && os::thread_exists(owner)) continue;
      if (take(table, owner, tid)) return table;
    }
    return kNone;
  }

  bool take(uint32_t table, uint32_t from, uint32_t tid) {
    return owners_[table].compare_exchange_strong(from, tid, std::memory_order_acq_rel);
  }

  // After a fork.
  void forget() {
    for (std::atomic<uint32_t>& owner : owners_) owner.store(0, std::memory_order_relaxed);
    hand_.store(0, std::memory_order_relaxed);
    unused_.store(1, std::memory_order_relaxed);
    until_look_.store(0, std::memory_order_relaxed);
  }

 private:
  static constexpr uint32_t kLooks = 8;
  static constexpr uint32_t kCallsPerLook = 1024;

  std::atomic<uint32_t> owners_[kTables] = {};
  std::atomic<uint32_t> hand_{0};
  std::atomic<uint32_t> unused_{1};  // below it all tables have had an owner, or nearly all
  std::atomic<uint32_t> until_look_{0};
};

}  // namespace heapledger::runtime
