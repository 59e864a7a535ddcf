// The book of the first pass: accounts for all sites, and everything an overview has. It learns the
// moments that later passes stop at, too: the peak is after so many births, the highest resident
// memory after so many samples.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/accounts.h"
#include "analyzer/duration.h"
#include "analyzer/ledger_set.h"
#include "analyzer/query/overview.h"
#include "analyzer/query/series_recorder.h"
#include "analyzer/quiet_book.h"

namespace heapledger {

class OverviewBook final : public QuietBook {
 public:
  explicit OverviewBook(const LedgerSet& set);

  // Where they are, for later passes to stop at.
  struct Peaks {
    uint64_t birth = 0;
    uint64_t rss = 0;
    uint64_t rss_sample = 0;
    Moment rss_moment;
  };

  const Accounts& accounts() const { return accounts_; }
  const Peaks& peaks() const { return peaks_; }
  Accounts take_accounts() { return std::move(accounts_); }

  // After the pass.
  void tell(Overview& overview);

  // AccountNumbers:
  void added(uint32_t account, uint32_t) override { accounts_.grow_to(account + 1); }
  void merge(uint32_t from, uint32_t to, Moment moment) override {
    accounts_.merge(from, to, moment);
  }

  // For Scan:
  bool wants_prefetch() const override { return accounts_.are_many(); }
  void prefetch(uint32_t account) const override { accounts_.prefetch(account); }

  void born(uint32_t ledger, LiveBlock& block, const Weight& weight) override {
    see_time(ledger, block.time);
    series_.born(weight.bytes, weight.calls);
    count_size(block.size, weight.calls);
    ++births_;
    if (accounts_.born(block.account, block.size, weight, {block.time, ledger})) {
      peaks_.birth = births_;
    }
  }

  void died(uint32_t ledger, const LiveBlock& block, const Death& death,
            const Weight& weight) override {
    end(ledger, block, death.time, weight);
    if (death.by_resize) {
      accounts_.died(block.account, weight);
    } else {
      accounts_.freed(block.account, weight, death.temporary);
    }
  }

  void lost(uint32_t ledger, const LiveBlock& block, uint64_t time, const Weight& weight) override {
    end(ledger, block, time, weight);
    accounts_.died(block.account, weight);
  }

  void left(uint32_t ledger, const LiveBlock& block, uint64_t time, const Weight& weight) override {
    // What the last process leaves stays in the picture: it is what was never freed.
    if (running_ > 1) {
      see_time(ledger, time);
      series_.died(weight.bytes, weight.calls);
    }
    accounts_.left(block.account, weight);
  }

  void resized(uint32_t, const Resize& resize) override { accounts_.resized(resize); }

  void before(uint32_t ledger, uint32_t account, uint64_t time, const SiteBefore& before) override {
    accounts_.before(account, before, {time, ledger});
  }

  void spent(uint32_t, const LiveBlock& block, uint64_t ns) override {
    has_time_ = true;
    accounts_.spent(block.account, ns);
  }

  void sampled(uint32_t ledger, const MemorySample& sample) override;
  void marked(uint32_t ledger, uint64_t time, std::string_view text) override;
  void ended(uint32_t ledger, uint64_t time) override;

 private:
  static constexpr uint64_t kSmallSizes = 32768;
  static constexpr size_t kMaxLargeSizes = 65536;

  struct Ledger {
    uint64_t bucket_end = 0;  // the first time unit beyond the bucket that is being filled
    double ns_per_unit = 1;
    uint64_t rss = 0;
  };

  struct Counts {
    uint64_t counts[Histogram::kBuckets] = {};
    uint64_t sum = 0;
    uint64_t smallest = UINT64_MAX;
    uint64_t largest = 0;

    void add(uint64_t value, uint64_t times) {
      counts[Histogram::bucket_of(value)] += times;
      sum += value * times;
      if (value < smallest) smallest = value;
      if (value > largest) largest = value;
    }
    Histogram histogram() const { return Histogram::from_counts(counts, sum, smallest, largest); }
  };

  void see_time(uint32_t ledger, uint64_t time) {
    if (time >= ledgers_[ledger].bucket_end) [[unlikely]] {
      advance(ledger, time);
    }
  }

  void end(uint32_t ledger, const LiveBlock& block, uint64_t time, const Weight& weight) {
    see_time(ledger, time);
    series_.died(weight.bytes, weight.calls);
    lifetimes_.add(lifetime_ns(block.time, time, ledgers_[ledger].ns_per_unit), weight.calls);
  }

  void count_size(uint64_t size, uint64_t calls) {
    sizes_.add(size, calls);
    if (size < kSmallSizes) [[likely]] {
      small_[size] += calls;
    } else {
      count_large_size(size, calls);
    }
  }

  void count_large_size(uint64_t size, uint64_t calls);
  void advance(uint32_t ledger, uint64_t time);

  const LedgerSet& set_;
  Accounts accounts_;
  std::vector<Ledger> ledgers_;
  SeriesRecorder series_;
  Counts sizes_;
  Counts lifetimes_;
  std::array<uint64_t, kSmallSizes> small_{};
  std::unordered_map<uint64_t, uint64_t> large_;
  std::vector<Marker> markers_;

  size_t running_;
  bool has_time_ = false;
  uint64_t births_ = 0;
  uint64_t samples_ = 0;
  uint64_t rss_now_ = 0;
  uint64_t rss_peak_time_ns_ = 0;
  Peaks peaks_;
  uint64_t end_ns_ = 0;
};

}  // namespace heapledger
