#include "analyzer/accounts.h"

namespace heapledger {

void Accounts::merge(uint32_t from, uint32_t to, Moment moment) {
  Account& source = accounts_[from];
  Account& target = current(to);
  if (&source == &target || source.merged_into != UINT32_MAX) return;
  remember_mark(source);
  remember_mark(target);
  target.live_bytes += source.live_bytes;
  target.live_blocks += source.live_blocks;
  target.marked_bytes += source.marked_bytes;
  target.marked_blocks += source.marked_blocks;
  target.calls += source.calls;
  target.bytes += source.bytes;
  target.resizes += source.resizes;
  target.frees += source.frees;
  target.temporary_calls += source.temporary_calls;
  target.end_bytes += source.end_bytes;
  target.end_blocks += source.end_blocks;
  if (source.peak_bytes > target.peak_bytes) {
    target.peak_bytes = source.peak_bytes;
    target.peak_blocks = source.peak_blocks;
    target.peak = source.peak;
  }
  if (target.live_bytes > target.peak_bytes) set_peak(target, moment);
  source = Account{};
  source.merged_into = static_cast<uint32_t>(&target - accounts_.data());
}

}  // namespace heapledger
