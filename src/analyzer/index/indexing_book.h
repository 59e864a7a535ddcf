// The books of the overview and of the index in one, for a pass that makes both.
#pragma once

#include <cstdint>
#include <string_view>

#include "analyzer/index/cube_book.h"
#include "analyzer/overview_book.h"
#include "analyzer/quiet_book.h"

namespace heapledger {

class IndexingBook final : public QuietBook {
 public:
  // Both must outlive this.
  IndexingBook(OverviewBook& overview, CubeBook& cube) : overview_(overview), cube_(cube) {}

  void added(uint32_t account, uint32_t heap) override {
    overview_.added(account, heap);
    cube_.added(account, heap);
  }
  void merge(uint32_t from, uint32_t to, Moment moment) override {
    overview_.merge(from, to, moment);
    cube_.merge(from, to, moment);
  }

  bool wants_prefetch() const override { return overview_.wants_prefetch(); }
  void prefetch(uint32_t account) const override {
    overview_.prefetch(account);
    cube_.prefetch(account);
  }
  void born(uint32_t ledger, LiveBlock& block, const Weight& weight) override {
    overview_.born(ledger, block, weight);
    cube_.born(ledger, block, weight);
  }
  void died(uint32_t ledger, const LiveBlock& block, const Death& death,
            const Weight& weight) override {
    overview_.died(ledger, block, death, weight);
    cube_.died(ledger, block, death, weight);
  }
  void lost(uint32_t ledger, const LiveBlock& block, uint64_t time, const Weight& weight) override {
    overview_.lost(ledger, block, time, weight);
    cube_.lost(ledger, block, time, weight);
  }
  void left(uint32_t ledger, const LiveBlock& block, uint64_t time, const Weight& weight) override {
    overview_.left(ledger, block, time, weight);
    cube_.left(ledger, block, time, weight);
  }
  void resized(uint32_t ledger, const Resize& resize) override {
    overview_.resized(ledger, resize);
    cube_.resized(ledger, resize);
  }
  void before(uint32_t ledger, uint32_t account, uint64_t time, const SiteBefore& before) override {
    overview_.before(ledger, account, time, before);
    cube_.before(ledger, account, time, before);
  }
  void spent(uint32_t ledger, const LiveBlock& block, uint64_t ns) override {
    overview_.spent(ledger, block, ns);
    cube_.spent(ledger, block, ns);
  }
  void sampled(uint32_t ledger, const MemorySample& sample) override {
    overview_.sampled(ledger, sample);
  }
  void marked(uint32_t ledger, uint64_t time, std::string_view text) override {
    overview_.marked(ledger, time, text);
  }
  void ended(uint32_t ledger, uint64_t time) override { overview_.ended(ledger, time); }

 private:
  OverviewBook& overview_;
  CubeBook& cube_;
};

}  // namespace heapledger
