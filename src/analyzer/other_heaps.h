// The part of a scan that looks at heaps other than malloc's: pools and mappings. Pairs births
// and deaths in each heap that is chosen, and tells them to the same sink as malloc's. These heaps
// are never sampled.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "analyzer/heaps.h"
#include "analyzer/ledger_sites.h"
#include "analyzer/live_heaps.h"
#include "analyzer/mapped_ranges.h"
#include "analyzer/pairing.h"
#include "analyzer/resize.h"
#include "format/heap_event.h"

namespace heapledger {

class HeapSink : public PairingSink {
 public:
  virtual void unknown_death() = 0;                 // of a block nobody saw born
  virtual void resized_in_heap(const Resize&) = 0;  // before the birth of the new block
};

class OtherHeaps {
 public:
  // `live` gets the blocks of every heap that turns up.
  OtherHeaps(HeapSink& sink, Slack slack, const HeapCatalog& catalog, LedgerSites& sites,
             LiveHeaps& live);
  ~OtherHeaps();

  // In a heap that is chosen; `heap` is its number in the catalog.
  void happened(uint32_t heap, const format::HeapEvent& event, uint64_t time, uint32_t thread);

  // The block that a birth or a resize tells of.
  LiveBlock block_of(uint32_t heap, const format::HeapEvent& event, uint64_t time, uint32_t thread);

  // nullptr when there is none.
  const LiveBlock* find(uint32_t heap, uint64_t address);

  void finish();

 private:
  struct Pool;

  void tell_resize(const LiveBlock& block, uint64_t old_size, uint64_t moves);

  void pooled(uint32_t heap, const format::HeapEvent& event, uint64_t time, uint32_t thread);

  // Pages move without being copied.
  void mapped(uint32_t heap, const format::HeapEvent& event, uint64_t time, uint32_t thread);

  Pool& pool_of(uint32_t heap);

  MappedRanges& ranges_of(uint32_t heap);

  HeapSink& sink_;
  Slack slack_;
  const HeapCatalog& catalog_;
  LedgerSites& sites_;
  LiveHeaps& live_;
  std::vector<std::unique_ptr<Pool>> pools_;           // by number
  std::vector<std::unique_ptr<MappedRanges>> ranges_;  // likewise
};

}  // namespace heapledger
