// Whoever keeps the accounts that sites have: is told of new ones, and when two of them turn out to
// be of one site. The catalog of sites gives out their numbers.
#pragma once

#include <cstdint>

namespace heapledger {

// A moment in the scan: time units of one ledger.
struct Moment {
  uint64_t time = 0;
  uint32_t ledger = 0;
};

class AccountNumbers {
 public:
  virtual ~AccountNumbers() = default;

  // There is one more, of this heap.
  virtual void added(uint32_t /*account*/, uint32_t /*heap*/) {}

  // `from` turns out to be the same site as `to`: what it has is added there, now and later.
  virtual void merge(uint32_t /*from*/, uint32_t /*to*/, Moment) {}
};

}  // namespace heapledger
