// Books of passes that look at one thing only: where the resident memory goes at a moment, and the
// lines of single sites over time.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/ledger_set.h"
#include "analyzer/query/series_recorder.h"
#include "analyzer/query/tally.h"
#include "analyzer/query/where_rss.h"

namespace heapledger {

class RssBook final : public QuietBook {
 public:
  RssBook(const LedgerSet& set, const Watch& watch, std::vector<uint32_t> page_bytes);

  void reach_end() override;
  void tell(WhereRss& where) const;

  void born(uint32_t, LiveBlock&, const Weight&) override {
    if (watch_.what == Watch::What::kBirth && ++births_ == watch_.number) reach_end();
  }
  void left(uint32_t ledger, const LiveBlock& block, uint64_t, const Weight&) override {
    if (watch_.what == Watch::What::kEnd) add_block(ledger, block);
  }
  void sampled(uint32_t ledger, const MemorySample& sample) override;
  void marked(uint32_t, uint64_t, std::string_view) override {
    if (watch_.what == Watch::What::kMarker && ++markers_ == watch_.number) reach_end();
  }
  void ended(uint32_t ledger, uint64_t) override;

 private:
  struct Ledger {
    uint64_t page_bytes = 4096;
    std::vector<std::pair<uint64_t, uint64_t>> pages;  // first and last of every live block
    bool has_sample = false;
    MemorySample sample;
  };

  void add_block(uint32_t ledger, const LiveBlock& block);
  void take_pages(Ledger& ledger);
  void take_sample(uint32_t ledger);

  const LedgerSet& set_;
  const Watch& watch_;
  std::vector<Ledger> ledgers_;
  WhereRss sums_;
  bool all_have_file_rss_ = true;
  uint64_t births_ = 0;
  uint64_t samples_ = 0;
  uint64_t markers_ = 0;
};

class SeriesBook final : public QuietBook {
 public:
  // `lines` has, by account, the number of its line, or UINT32_MAX.
  SeriesBook(const LedgerSet& set, std::vector<uint32_t> lines, size_t count);

  Series take(size_t line, uint64_t end_ns) { return lines_[line].finish(end_ns); }

  void born(uint32_t ledger, LiveBlock& block, const Weight& weight) override {
    SeriesRecorder* line = at(ledger, block.account, block.time);
    if (line != nullptr) line->born(weight.bytes, weight.calls);
  }
  void died(uint32_t ledger, const LiveBlock& block, const Death& death,
            const Weight& weight) override {
    lost(ledger, block, death.time, weight);
  }
  void lost(uint32_t ledger, const LiveBlock& block, uint64_t time, const Weight& weight) override {
    SeriesRecorder* line = at(ledger, block.account, time);
    if (line != nullptr) line->died(weight.bytes, weight.calls);
  }
  void left(uint32_t ledger, const LiveBlock& block, uint64_t time, const Weight& weight) override {
    if (running_ > 1) lost(ledger, block, time, weight);
  }
  void ended(uint32_t, uint64_t) override { --running_; }

 private:
  SeriesRecorder* at(uint32_t ledger, uint32_t account, uint64_t time) {
    if (account >= line_of_.size() || line_of_[account] == UINT32_MAX) return nullptr;
    SeriesRecorder& line = lines_[line_of_[account]];
    uint64_t now = set_.since_start({time, ledger});
    if (now >= line.bucket_end()) line.advance(now);
    return &line;
  }

  const LedgerSet& set_;
  std::vector<uint32_t> line_of_;
  std::vector<SeriesRecorder> lines_;
  size_t running_;
};

}  // namespace heapledger
