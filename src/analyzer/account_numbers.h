// Whoever keeps the accounts that sites have: gives out their numbers, and is told when two of them
// turn out to be of one site.
#pragma once

#include <cstdint>

namespace heapledger {

// A moment in the replay: time units of one ledger.
struct Moment {
  uint64_t time = 0;
  uint32_t ledger = 0;
};

class AccountNumbers {
 public:
  virtual ~AccountNumbers() = default;

  // A new account of a heap, numbered from 0 on.
  virtual uint32_t add(uint32_t heap) = 0;

  // `from` turns out to be the same site as `to`: what it has is added there, now and later.
  virtual void merge(uint32_t from, uint32_t to, Moment moment) = 0;
};

}  // namespace heapledger
