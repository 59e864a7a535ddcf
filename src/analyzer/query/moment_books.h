// Books of passes that look at one thing only: where the resident memory goes at a moment, and the
// lines of single sites over time.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/ledger_set.h"
#include "analyzer/query/resident_parts.h"
#include "analyzer/query/series_recorder.h"
#include "analyzer/query/tally.h"
#include "analyzer/query/where_rss.h"

namespace heapledger {

// To be told malloc's heap and mappings; moments are counted in malloc's alone.
class RssBook final : public QuietBook {
 public:
  RssBook(const LedgerSet& set, const Watch& watch, const std::vector<LedgerFacts>& ledgers,
          bool glibc_model);

  void reach_end() override;
  // All but the owners, and what is known of the allocator.
  void tell(WhereRss& where) const;
  // The accounts with the most of a part, as far as there are any, by account.
  const std::vector<uint64_t>& owners(RssPart part) const {
    return sums_.by_account[static_cast<size_t>(part)];
  }

  void merge(uint32_t from, uint32_t to, Moment) override { merged_[from] = to; }
  void born(uint32_t, LiveBlock& block, const Weight&) override {
    if ((block.thread & kExactBlock) != 0) return;
    if (watch_.what == Watch::What::kBirth && ++births_ == watch_.number) reach_end();
  }
  void died(uint32_t ledger, const LiveBlock& block, const Death&, const Weight&) override {
    if ((block.thread & kExactBlock) != 0) return;
    ResidentFacts& facts = ledgers_[ledger].facts;
    if (!facts.has_look || block.time < ledgers_[ledger].look_time) return;
    facts.left_since_look += left_by({block.address, block.size, 0}, facts);
  }
  void left(uint32_t ledger, const LiveBlock& block, uint64_t, const Weight&) override {
    if (watch_.what == Watch::What::kEnd) add_block(ledger, block);
  }
  void sampled(uint32_t ledger, const MemorySample& sample) override;
  void looked(uint32_t ledger, const format::Entry& entry) override;
  void marked(uint32_t, uint64_t, std::string_view) override {
    if (watch_.what == Watch::What::kMarker && ++markers_ == watch_.number) reach_end();
  }
  void ended(uint32_t ledger, uint64_t) override;

 private:
  struct Ledger {
    ResidentFacts facts;
    MemorySample sample;
    uint64_t look_time = 0;
    uint64_t swapped = 0;
    bool waits = false;  // all that is known of the moment is there but a look
  };

  void add_block(uint32_t ledger, const LiveBlock& block);
  void take(uint32_t ledger);
  void share(uint32_t ledger);

  const LedgerSet& set_;
  const Watch& watch_;
  std::vector<Ledger> ledgers_;
  WhereRss found_;
  ResidentSums sums_;
  bool all_have_file_rss_ = true;
  bool all_have_looks_ = true;
  std::unordered_map<uint32_t, uint32_t> merged_;
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
