// A book to begin with: is told everything that a scan finds, and keeps nothing. A block's weight
// (sampling.h) is the same whenever it is told.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyzer/account_numbers.h"
#include "analyzer/accounts.h"
#include "analyzer/live_heaps.h"
#include "analyzer/pairing.h"
#include "analyzer/process_scan.h"
#include "analyzer/resize.h"
#include "analyzer/sampling.h"
#include "format/entry.h"
#include "format/heap_event.h"

namespace heapledger {

class QuietBook : public AccountNumbers {
 public:
  std::vector<LiveHeaps*>& tables() { return shared_ != nullptr ? *shared_ : tables_; }
  // For one that is told all by another: the tables are those that one has.
  void share_tables_of(QuietBook& other) { shared_ = &other.tables(); }

  // Whether accounts are not all in the cache, and that one will be needed soon.
  virtual bool wants_prefetch() const { return false; }
  virtual void prefetch(uint32_t /*account*/) const {}

  // It may set flags of the block from kFirstBookFlag.
  virtual void born(uint32_t /*ledger*/, LiveBlock&, const Weight&) {}
  virtual void died(uint32_t /*ledger*/, const LiveBlock&, const Death&, const Weight&) {}
  // Its address was used again; and the process ended before it did.
  virtual void lost(uint32_t /*ledger*/, const LiveBlock&, uint64_t /*time*/, const Weight&) {}
  virtual void left(uint32_t /*ledger*/, const LiveBlock&, uint64_t /*time*/, const Weight&) {}
  // Before its birth: time that a sample stands for; and the block that it was before.
  virtual void spent(uint32_t /*ledger*/, const LiveBlock&, uint64_t /*ns*/) {}
  virtual void resized(uint32_t /*ledger*/, const Resize&) {}
  // Sums of a site from before the ledger's first entry.
  virtual void before(uint32_t /*ledger*/, uint32_t /*account*/, uint64_t /*time*/,
                      const SiteBefore&) {}

  // Every call, before it is paired, if it wants that: with the block that is allocated or, if that
  // is known already, the one that is freed; the end of a block that turned out to be unknown; and
  // a call in another heap than malloc's.
  virtual bool wants_calls() const { return false; }
  virtual void called(uint32_t /*ledger*/, uint32_t /*thread*/, const format::Entry&,
                      const LiveBlock*) {}
  virtual void unborn(uint32_t /*ledger*/, uint64_t /*address*/, const Death&) {}
  virtual void called_in_heap(uint32_t /*ledger*/, uint32_t /*heap*/, uint32_t /*thread*/,
                              const format::HeapEvent&, uint64_t /*time*/, const LiveBlock*) {}

  virtual void sampled(uint32_t /*ledger*/, const MemorySample&) {}
  // Of kind kResident, right before its sample.
  virtual void looked(uint32_t /*ledger*/, const format::Entry&) {}
  virtual void marked(uint32_t /*ledger*/, uint64_t /*time*/, std::string_view /*text*/) {}
  virtual void ended(uint32_t /*ledger*/, uint64_t /*time*/) {}  // after all that was left

  // For the stops of a pass: the beginning of a range, and the moment or the end of the range.
  virtual void reach_begin() {}
  virtual void reach_end() {}

 private:
  std::vector<LiveHeaps*> tables_;
  std::vector<LiveHeaps*>* shared_ = nullptr;
};

}  // namespace heapledger
