// A book to begin with: is told everything, and keeps nothing (scan.h says what is told). Books
// that every question needs are final, so that a Scan of theirs calls them directly; the others
// share one Scan of this class.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyzer/account_numbers.h"
#include "analyzer/live_heaps.h"
#include "analyzer/pairing.h"
#include "analyzer/process_scan.h"
#include "analyzer/resize.h"
#include "analyzer/sampling.h"

namespace heapledger {

class QuietBook : public AccountNumbers {
 public:
  std::vector<LiveHeaps*>& tables() { return tables_; }

  virtual bool wants_prefetch() const { return false; }
  virtual void prefetch(uint32_t /*account*/) const {}
  virtual void born(uint32_t /*ledger*/, LiveBlock&, const Weight&) {}
  virtual void died(uint32_t /*ledger*/, const LiveBlock&, const Death&, const Weight&) {}
  virtual void lost(uint32_t /*ledger*/, const LiveBlock&, uint64_t /*time*/, const Weight&) {}
  virtual void left(uint32_t /*ledger*/, const LiveBlock&, uint64_t /*time*/, const Weight&) {}
  virtual void spent(uint32_t /*ledger*/, const LiveBlock&, uint64_t /*ns*/) {}
  virtual void resized(uint32_t /*ledger*/, const Resize&) {}
  virtual void sampled(uint32_t /*ledger*/, const MemorySample&) {}
  virtual void looked(uint32_t /*ledger*/, const format::Entry& /*of kind kResident*/) {}
  virtual void marked(uint32_t /*ledger*/, uint64_t /*time*/, std::string_view /*text*/) {}
  virtual void ended(uint32_t /*ledger*/, uint64_t /*time*/) {}

  // For the stops of a pass: the beginning of a range, and the moment or the end of the range.
  virtual void reach_begin() {}
  virtual void reach_end() {}

 private:
  std::vector<LiveHeaps*> tables_;
};

}  // namespace heapledger
