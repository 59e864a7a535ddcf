// What every site adds up to, and all of them together, while ledgers are scanned: calls, bytes,
// what is live, each one's own peak, and each one's share at the common peak and when the resident
// memory was at its highest. All in constant time per event: an account remembers what it held at
// such a moment only when it changes for the first time after it.
#pragma once

#include <cstdint>

#include "analyzer/account_numbers.h"
#include "analyzer/paged.h"
#include "analyzer/query/figures.h"
#include "analyzer/resize.h"
#include "analyzer/sampling.h"

namespace heapledger {

// In the order of use: what every event touches is in the first 64 bytes.
struct alignas(64) Account {
  uint64_t live_bytes = 0;
  uint64_t live_blocks = 0;
  uint64_t peak_bytes = 0;
  uint64_t calls = 0;
  uint64_t bytes = 0;
  uint32_t smallest_clamped = UINT32_MAX;  // the sizes requested, or UINT32_MAX for larger ones
  uint32_t largest_clamped = 0;
  uint64_t mark = 0;      // the common peak that marked_* are of, if nothing higher came since
  uint32_t rss_mark = 0;  // the same for the resident memory
  uint32_t merged_into = UINT32_MAX;

  uint64_t peak_blocks = 0;
  Moment peak;
  uint64_t marked_bytes = 0;
  uint64_t marked_blocks = 0;
  uint64_t rss_marked_bytes = 0;
  uint64_t rss_marked_blocks = 0;
  RareSums rare;
  uint64_t end_bytes = 0;  // of processes that have ended
  uint64_t end_blocks = 0;
  uint64_t other_ends = 0;              // not by a free: resized, or the address used again
  uint64_t smallest_huge = UINT64_MAX;  // of those that were clamped
  uint64_t largest_huge = 0;
  uint64_t time_ns = 0;  // that its samples stand for

  // Of sampled blocks: the squared standard errors of calls, bytes, and live bytes as above.
  double calls_variance = 0;
  double bytes_variance = 0;
  double live_variance = 0;
  double peak_variance = 0;
  double marked_variance = 0;
  double rss_marked_variance = 0;
  double end_variance = 0;

  uint64_t frees() const { return calls - live_blocks - end_blocks - other_ends; }

  // Over the whole recording, with nothing live.
  Sums sums() const {
    Sums sums;
    static_cast<RareSums&>(sums) = rare;
    sums.calls = calls;
    sums.bytes = bytes;
    sums.frees = frees();
    sums.ended_blocks = calls - end_blocks;
    sums.ended_bytes = bytes - end_bytes;
    return sums;
  }
  uint64_t smallest() const {
    return smallest_clamped < UINT32_MAX ? smallest_clamped : smallest_huge;
  }
  uint64_t largest() const { return largest_clamped < UINT32_MAX ? largest_clamped : largest_huge; }
};

// An entry of kind kSiteBefore.
struct SiteBefore {
  uint64_t calls = 0;
  uint64_t bytes = 0;
  uint64_t peak = 0;  // most bytes of the site ever live at once
};

class Accounts {
 public:
  void grow_to(uint32_t count) { accounts_.grow_to(count); }
  void prefetch(uint32_t id) const { __builtin_prefetch(&accounts_[id], 1); }

  // So many that they are not all in the cache.
  bool are_many() const { return accounts_.size() > 4096; }

  // True when all together have never had more.
  bool born(uint32_t id, uint64_t size, const Weight& weight, Moment moment) {
    Account& account = current(id);
    const bool highest = sum_.live_bytes + weight.bytes > sum_.peak_bytes;
    if (!highest) remember_mark(account);  // else there will be a higher one at once
    remember_rss_mark(account);
    account.calls += weight.calls;
    account.bytes += weight.bytes;
    account.live_blocks += weight.calls;
    account.live_bytes += weight.bytes;
    if (weight.sampled) [[unlikely]] {
      add_variance(account, weight);
      add_variance(sum_, weight);
    }
    auto clamped = static_cast<uint32_t>(size < UINT32_MAX ? size : UINT32_MAX);
    if (clamped < account.smallest_clamped) account.smallest_clamped = clamped;
    if (clamped > account.largest_clamped) account.largest_clamped = clamped;
    if (clamped == UINT32_MAX) [[unlikely]] {
      if (size < account.smallest_huge) account.smallest_huge = size;
      if (size > account.largest_huge) account.largest_huge = size;
    }
    if (account.live_bytes > account.peak_bytes) set_peak(account, moment);
    sum_.calls += weight.calls;
    sum_.live_blocks += weight.calls;
    sum_.live_bytes += weight.bytes;
    if (!highest) return false;
    set_peak(sum_, moment);
    ++mark_;
    return true;
  }

  // Not by a free.
  void died(uint32_t id, const Weight& weight) {
    Account& account = current(id);
    leave(account, weight);
    account.other_ends += weight.calls;
  }

  void freed(uint32_t id, const Weight& weight, bool temporary) {
    Account& account = current(id);
    leave(account, weight);
    account.rare.count_free(weight.calls, temporary);
  }

  // The process that owned the block has ended, the block still live.
  void left(uint32_t id, const Weight& weight) {
    Account& account = current(id);
    leave(account, weight);
    account.end_blocks += weight.calls;
    account.end_bytes += weight.bytes;
    account.end_variance += weight.bytes_variance;
  }

  void resized(const Resize& resize) {
    current(resize.account)
        .rare.count_resize(resize.calls, resize.moves, resize.old_size, resize.size);
  }

  // What the site did beside the blocks that are told here; those of its blocks are gone.
  void before(uint32_t id, const SiteBefore& before, Moment moment);

  void spent(uint32_t id, uint64_t ns) { current(id).time_ns += ns; }

  // The resident memory has never been higher.
  void rss_rose() { ++rss_mark_; }

  // `from` turns out to be the same site as `to`: what it has is added there, now and later.
  void merge(uint32_t from, uint32_t to, Moment moment);

  // The account of a live block, wherever it was merged into.
  const Account& at(uint32_t id) const {
    const Account& account = accounts_[id];
    return account.merged_into == UINT32_MAX ? account : accounts_[account.merged_into];
  }

  // For keeping them beyond the pass: each as it is, merged or not, and what belongs to all.
  struct Marks {
    uint64_t mark = 1;
    uint32_t rss_mark = 1;
  };
  const Account& as_it_is(uint32_t id) const { return accounts_[id]; }
  Account& as_it_is(uint32_t id) { return accounts_[id]; }
  Marks marks() const { return {mark_, rss_mark_}; }
  void restore(const Account& sum, Marks marks) {
    sum_ = sum;
    mark_ = marks.mark;
    rss_mark_ = marks.rss_mark;
  }

  bool is_merged(uint32_t id) const { return accounts_[id].merged_into != UINT32_MAX; }
  uint32_t size() const { return accounts_.size(); }

  // Calls, live and peak of all accounts together; its other fields are not kept.
  const Account& sum() const { return sum_; }

  uint64_t bytes_at_peak(const Account& account) const {
    return account.mark == mark_ ? account.marked_bytes : account.live_bytes;
  }
  uint64_t blocks_at_peak(const Account& account) const {
    return account.mark == mark_ ? account.marked_blocks : account.live_blocks;
  }
  uint64_t bytes_at_rss_peak(const Account& account) const {
    return account.rss_mark == rss_mark_ ? account.rss_marked_bytes : account.live_bytes;
  }
  uint64_t blocks_at_rss_peak(const Account& account) const {
    return account.rss_mark == rss_mark_ ? account.rss_marked_blocks : account.live_blocks;
  }
  double variance_at_peak(const Account& account) const {
    return account.mark == mark_ ? account.marked_variance : account.live_variance;
  }
  double variance_at_rss_peak(const Account& account) const {
    return account.rss_mark == rss_mark_ ? account.rss_marked_variance : account.live_variance;
  }

 private:
  Account& current(uint32_t id) {
    Account& account = accounts_[id];
    if (account.merged_into != UINT32_MAX) [[unlikely]] {
      return accounts_[account.merged_into];
    }
    return account;
  }

  static void add_variance(Account& account, const Weight& weight) {
    account.calls_variance += weight.calls_variance;
    account.bytes_variance += weight.bytes_variance;
    account.live_variance += weight.bytes_variance;
  }

  void leave(Account& account, const Weight& weight) {
    remember_marks(account);
    account.live_blocks -= weight.calls;
    account.live_bytes -= weight.bytes;
    sum_.live_blocks -= weight.calls;
    sum_.live_bytes -= weight.bytes;
    if (weight.sampled) [[unlikely]] {
      account.live_variance -= weight.bytes_variance;
      sum_.live_variance -= weight.bytes_variance;
    }
  }

  void remember_marks(Account& account) const {
    remember_mark(account);
    remember_rss_mark(account);
  }

  // Variances are far from the rest, and zero unless something was sampled.
  void remember_mark(Account& account) const {
    if (account.mark == mark_) return;
    account.mark = mark_;
    account.marked_bytes = account.live_bytes;
    account.marked_blocks = account.live_blocks;
    if (sum_.calls_variance != 0) account.marked_variance = account.live_variance;
  }

  void remember_rss_mark(Account& account) const {
    if (account.rss_mark == rss_mark_) return;
    account.rss_mark = rss_mark_;
    account.rss_marked_bytes = account.live_bytes;
    account.rss_marked_blocks = account.live_blocks;
    if (sum_.calls_variance != 0) account.rss_marked_variance = account.live_variance;
  }

  void set_peak(Account& account, Moment moment) const {
    account.peak_bytes = account.live_bytes;
    account.peak_blocks = account.live_blocks;
    if (sum_.calls_variance != 0) account.peak_variance = account.live_variance;
    account.peak = moment;
  }

  Paged<Account> accounts_;
  Account sum_;
  uint64_t mark_ = 1;
  uint32_t rss_mark_ = 1;
};

}  // namespace heapledger
