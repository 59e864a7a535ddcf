#include "analyzer/accounts.h"

#include <algorithm>

namespace heapledger {

void Accounts::merge(uint32_t from, uint32_t to, Moment moment) {
  Account& source = accounts_[from];
  Account& target = current(to);
  if (&source == &target || source.merged_into != UINT32_MAX) return;
  remember_marks(source);
  remember_marks(target);
  for (uint64_t Account::*sum :
       {&Account::live_bytes, &Account::live_blocks, &Account::marked_bytes,
        &Account::marked_blocks, &Account::rss_marked_bytes, &Account::rss_marked_blocks,
        &Account::calls, &Account::bytes, &Account::other_ends, &Account::end_bytes,
        &Account::end_blocks, &Account::time_ns}) {
    target.*sum += source.*sum;
  }
  target.rare.add(source.rare);
  for (double Account::*sum :
       {&Account::calls_variance, &Account::bytes_variance, &Account::live_variance,
        &Account::marked_variance, &Account::rss_marked_variance, &Account::end_variance}) {
    target.*sum += source.*sum;
  }
  target.smallest_clamped = std::min(target.smallest_clamped, source.smallest_clamped);
  target.largest_clamped = std::max(target.largest_clamped, source.largest_clamped);
  target.smallest_huge = std::min(target.smallest_huge, source.smallest_huge);
  target.largest_huge = std::max(target.largest_huge, source.largest_huge);
  if (source.peak_bytes > target.peak_bytes) {
    target.peak_bytes = source.peak_bytes;
    target.peak_blocks = source.peak_blocks;
    target.peak_variance = source.peak_variance;
    target.peak = source.peak;
  }
  if (target.live_bytes > target.peak_bytes) set_peak(target, moment);
  uint32_t into = to;
  if (accounts_[to].merged_into != UINT32_MAX) into = accounts_[to].merged_into;
  source = Account{};
  source.merged_into = into;
}

void Accounts::before(uint32_t id, const SiteBefore& before, Moment moment) {
  Account& account = current(id);
  account.calls += before.calls;
  account.bytes += before.bytes;
  sum_.calls += before.calls;
  if (before.peak <= account.peak_bytes) return;
  account.peak_bytes = before.peak;
  account.peak_blocks = 0;  // nobody knows
  account.peak_variance = 0;
  account.peak = moment;
}

}  // namespace heapledger
