#include "analyzer/other_heaps.h"

namespace heapledger {

struct OtherHeaps::Pool final : PairingSink {
  Pool(OtherHeaps& all, Slack slack) : heaps(all), pairing(*this, slack) {}

  void born(LiveBlock& block) override { heaps.sink_.born(block); }
  void died(const LiveBlock& block, const Death& death) override {
    old_size = block.size;
    heaps.sink_.died(block, death);
  }
  void never_born(uint64_t, const Death&) override { heaps.sink_.unknown_death(); }
  void never_died(const LiveBlock& block, uint64_t time) override {
    heaps.sink_.never_died(block, time);
  }

  OtherHeaps& heaps;
  Pairing<Pool> pairing;
  uint64_t old_size = 0;            // of the block that died last
  std::vector<uint64_t> allocated;  // by thread: the block its last operation returned
};

OtherHeaps::OtherHeaps(HeapSink& sink, Slack slack, const HeapCatalog& catalog, LedgerSites& sites,
                       LiveHeaps& live)
    : sink_(sink), slack_(slack), catalog_(catalog), sites_(sites), live_(live) {}

OtherHeaps::~OtherHeaps() = default;

void OtherHeaps::happened(uint32_t heap, const format::HeapEvent& event, uint64_t time,
                          uint32_t thread) {
  if (catalog_.at(heap).has_ranges()) {
    mapped(heap, event, time, thread);
  } else {
    pooled(heap, event, time, thread);
  }
}

LiveBlock OtherHeaps::block_of(uint32_t heap, const format::HeapEvent& event, uint64_t time,
                               uint32_t thread) {
  return {event.pointer, event.size, time, sites_.account_in(heap, event.site),
          (thread & kThreadBits) | kExactBlock};
}

const LiveBlock* OtherHeaps::find(uint32_t heap, uint64_t address) {
  if (address == 0) return nullptr;
  return catalog_.at(heap).has_ranges() ? ranges_of(heap).live().find(address)
                                        : pool_of(heap).pairing.live().find(address);
}

void OtherHeaps::finish() {
  for (auto& pool : pools_) {
    if (pool != nullptr) pool->pairing.finish();
  }
}

void OtherHeaps::tell_resize(const LiveBlock& block, uint64_t old_size, uint64_t moves) {
  sink_.resized_in_heap({block.time, block.address, old_size, block.size, block.account,
                         block.thread & kThreadBits, 1, moves});
}

void OtherHeaps::pooled(uint32_t heap, const format::HeapEvent& event, uint64_t time,
                        uint32_t thread) {
  Pool& pool = pool_of(heap);
  if (thread >= pool.allocated.size()) pool.allocated.resize(thread + 1);
  uint64_t& last = pool.allocated[thread];
  bool resize = event.event == format::Event::kResize;
  uint64_t dies = resize ? event.old_pointer : event.pointer;
  if (event.event != format::Event::kBirth) {
    bool temporary = !resize && dies != 0 && last == dies;
    last = pool.old_size = 0;
    if (dies != 0) pool.pairing.death(dies, {time, thread, temporary, resize});
    if (!resize) return;
  }
  if (event.pointer == 0) return;
  last = event.pointer;
  LiveBlock block = block_of(heap, event, time, thread);
  if (resize) tell_resize(block, pool.old_size, event.pointer != event.old_pointer ? 1 : 0);
  pool.pairing.birth(block);
}

void OtherHeaps::mapped(uint32_t heap, const format::HeapEvent& event, uint64_t time,
                        uint32_t thread) {
  MappedRanges& ranges = ranges_of(heap);
  bool resize = event.event == format::Event::kResize;
  uint64_t from = resize ? event.old_pointer : event.pointer;
  uint64_t bytes = resize ? event.old_size : event.size;
  uint64_t old_size = 0;
  if (event.event != format::Event::kBirth) {
    old_size = ranges.unmap(from, bytes, {time, thread, false, resize});
    if (!resize) return;
  }
  LiveBlock block = block_of(heap, event, time, thread);
  if (resize) tell_resize(block, old_size, 0);
  ranges.map(block);
}

OtherHeaps::Pool& OtherHeaps::pool_of(uint32_t heap) {
  if (heap >= pools_.size()) pools_.resize(heap + 1);
  if (pools_[heap] == nullptr) {
    pools_[heap] = std::make_unique<Pool>(*this, slack_);
    live_.add(pools_[heap]->pairing.live());
  }
  return *pools_[heap];
}

MappedRanges& OtherHeaps::ranges_of(uint32_t heap) {
  if (heap >= ranges_.size()) ranges_.resize(heap + 1);
  if (ranges_[heap] == nullptr) {
    ranges_[heap] = std::make_unique<MappedRanges>(sink_);
    live_.add(ranges_[heap]->live());
  }
  return *ranges_[heap];
}

}  // namespace heapledger
