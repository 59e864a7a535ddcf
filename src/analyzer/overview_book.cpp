#include "analyzer/overview_book.h"

#include <algorithm>

namespace heapledger {

OverviewBook::OverviewBook(const LedgerSet& set)
    : set_(set), ledgers_(set.size()), running_(set.size()) {
  accounts_.grow_to(set.catalog().accounts());
  for (uint32_t i = 0; i < ledgers_.size(); ++i) ledgers_[i].ns_per_unit = set.ns_per_unit(i);
}

void OverviewBook::count_large_size(uint64_t size, uint64_t calls) {
  auto found = large_.find(size);
  if (found != large_.end()) {
    found->second += calls;
  } else if (large_.size() < kMaxLargeSizes) {
    large_.emplace(size, calls);
  }
}

void OverviewBook::advance(uint32_t ledger, uint64_t time) {
  uint64_t now = set_.since_start({time, ledger});
  end_ns_ = std::max(end_ns_, now);
  if (now >= series_.bucket_end()) series_.advance(now);
  uint64_t last = set_.units_at(ledger, series_.bucket_end() - 1);
  ledgers_[ledger].bucket_end = std::max(last, time) + 1;
}

void OverviewBook::sampled(uint32_t ledger, const MemorySample& sample) {
  see_time(ledger, sample.time);
  ++samples_;
  Ledger& own = ledgers_[ledger];
  uint64_t others = rss_now_ - own.rss;
  rss_now_ = others + sample.rss;
  own.rss = sample.rss;
  series_.rss(rss_now_, others + sample.most);
  if (others + sample.most <= peaks_.rss) return;
  peaks_.rss = others + sample.most;
  peaks_.rss_sample = samples_;
  peaks_.rss_moment = {sample.time, ledger};
  rss_peak_time_ns_ = set_.since_start(peaks_.rss_moment);
  accounts_.rss_rose();
}

void OverviewBook::marked(uint32_t ledger, uint64_t time, std::string_view text) {
  see_time(ledger, time);
  if (markers_.size() == kMaxMarkers) return;
  markers_.push_back(
      {std::string(text.substr(0, kMaxMarkerText)), set_.since_start({time, ledger}), ledger});
}

void OverviewBook::ended(uint32_t ledger, uint64_t time) {
  see_time(ledger, time);
  if (--running_ > 0) {
    rss_now_ -= ledgers_[ledger].rss;
    ledgers_[ledger].rss = 0;
    series_.rss(rss_now_, 0);
  }
  end_ns_ = std::max(end_ns_, set_.since_start({time, ledger}));
}

void OverviewBook::tell(Overview& overview) {
  const Account& sum = accounts_.sum();
  Figures& totals = overview.totals;
  for (uint32_t id = 0; id < accounts_.size(); ++id) {
    if (accounts_.is_merged(id)) continue;
    const Account& account = accounts_.at(id);
    totals.add(account.sums());
    totals.time_ns += account.time_ns;
    overview.never_freed_bytes += account.end_bytes;
    overview.never_freed_blocks += account.end_blocks;
    overview.live_bytes_at_rss_peak += accounts_.bytes_at_rss_peak(account);
    overview.live_blocks_at_rss_peak += accounts_.blocks_at_rss_peak(account);
  }
  totals.live_bytes = totals.peak_bytes = sum.peak_bytes;
  totals.live_blocks = totals.peak_blocks = sum.peak_blocks;
  totals.has_peak = totals.has_lifetimes = totals.has_sizes = true;
  totals.has_time = has_time_;
  totals.calls_error = standard_error(sum.calls_variance);
  totals.bytes_error = standard_error(sum.bytes_variance);
  totals.live_error = totals.peak_error = standard_error(sum.peak_variance);
  double never_freed = 0;
  for (uint32_t id = 0; id < accounts_.size(); ++id) {
    if (!accounts_.is_merged(id)) never_freed += accounts_.at(id).end_variance;
  }
  overview.never_freed_error = standard_error(never_freed);
  overview.peak_time_ns = sum.peak_bytes > 0 ? set_.since_start(sum.peak) : 0;
  totals.peak_time_ns = overview.peak_time_ns;
  overview.duration_ns = end_ns_;
  overview.rss_peak_bytes = peaks_.rss;
  overview.rss_peak_time_ns = rss_peak_time_ns_;

  overview.sizes = sizes_.histogram();
  overview.lifetimes = lifetimes_.histogram();
  totals.lifetimes = overview.lifetimes;
  totals.smallest = overview.sizes.smallest();
  totals.largest = overview.sizes.largest();
  for (uint64_t size = 0; size < small_.size(); ++size) {
    if (small_[size] > 0) large_.emplace(size, small_[size]);
  }
  for (const auto& [size, calls] : large_) overview.common_sizes.push_back({size, calls, 0});
  std::sort(overview.common_sizes.begin(), overview.common_sizes.end(),
            [](const CommonSize& a, const CommonSize& b) {
              return a.calls != b.calls ? a.calls > b.calls : a.size < b.size;
            });
  if (overview.common_sizes.size() > kCommonSizes) overview.common_sizes.resize(kCommonSizes);
  totals.common_sizes = overview.common_sizes;
  large_ = {};
  overview.series = series_.finish(end_ns_);
  overview.markers = std::move(markers_);
}

}  // namespace heapledger
