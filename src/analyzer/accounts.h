// What every site adds up to, and all of them together, while ledgers are replayed: calls, bytes,
// what is live, each one's own peak, and each one's share at the common peak. All in constant
// time per event: an account remembers what it held at the latest common peak only when it
// changes for the first time after it.
#pragma once

#include <cstdint>
#include <vector>

namespace heapledger {

// A moment in the replay: time units of one ledger.
struct Moment {
  uint64_t time = 0;
  uint32_t ledger = 0;
};

struct Account {
  uint64_t live_bytes = 0;
  uint64_t live_blocks = 0;
  uint64_t mark = 0;  // the common peak that marked_* are of, if nothing higher came since
  uint64_t marked_bytes = 0;
  uint64_t marked_blocks = 0;
  uint64_t peak_bytes = 0;
  uint64_t peak_blocks = 0;
  Moment peak;
  uint64_t calls = 0;
  uint64_t bytes = 0;
  uint64_t resizes = 0;
  uint64_t frees = 0;
  uint64_t temporary_calls = 0;
  uint64_t end_bytes = 0;  // of processes that have ended
  uint64_t end_blocks = 0;
  uint32_t merged_into = UINT32_MAX;
};

class Accounts {
 public:
  uint32_t add() {
    accounts_.emplace_back();
    return static_cast<uint32_t>(accounts_.size() - 1);
  }

  void born(uint32_t id, uint64_t size, Moment moment) {
    Account& account = current(id);
    remember_mark(account);
    ++account.calls;
    account.bytes += size;
    ++account.live_blocks;
    account.live_bytes += size;
    if (account.live_bytes > account.peak_bytes) set_peak(account, moment);
    ++sum_.live_blocks;
    sum_.live_bytes += size;
    if (sum_.live_bytes > sum_.peak_bytes) {
      set_peak(sum_, moment);
      ++mark_;
    }
  }

  void died(uint32_t id, uint64_t size) {
    Account& account = current(id);
    remember_mark(account);
    --account.live_blocks;
    account.live_bytes -= size;
    --sum_.live_blocks;
    sum_.live_bytes -= size;
  }

  void freed(uint32_t id, uint64_t size, bool temporary) {
    died(id, size);
    Account& account = current(id);
    ++account.frees;
    account.temporary_calls += temporary ? 1 : 0;
  }

  // The process that owned the block has ended, the block still live.
  void left(uint32_t id, uint64_t size) {
    died(id, size);
    Account& account = current(id);
    ++account.end_blocks;
    account.end_bytes += size;
  }

  void resized(uint32_t id) { ++current(id).resizes; }

  // `from` turns out to be the same site as `to`: what it has is added there, now and later.
  void merge(uint32_t from, uint32_t to, Moment moment);

  // The account of a live block, wherever it was merged into.
  const Account& at(uint32_t id) const {
    const Account& account = accounts_[id];
    return account.merged_into == UINT32_MAX ? account : accounts_[account.merged_into];
  }

  bool is_merged(uint32_t id) const { return accounts_[id].merged_into != UINT32_MAX; }
  uint32_t size() const { return static_cast<uint32_t>(accounts_.size()); }

  // Live and peak of all accounts together; its other fields are not kept.
  const Account& sum() const { return sum_; }

  uint64_t bytes_at_peak(const Account& account) const {
    return account.mark == mark_ ? account.marked_bytes : account.live_bytes;
  }
  uint64_t blocks_at_peak(const Account& account) const {
    return account.mark == mark_ ? account.marked_blocks : account.live_blocks;
  }

 private:
  Account& current(uint32_t id) {
    Account& account = accounts_[id];
    if (account.merged_into != UINT32_MAX) [[unlikely]] {
      return accounts_[account.merged_into];
    }
    return account;
  }

  void remember_mark(Account& account) const {
    if (account.mark == mark_) return;
    account.mark = mark_;
    account.marked_bytes = account.live_bytes;
    account.marked_blocks = account.live_blocks;
  }

  static void set_peak(Account& account, Moment moment) {
    account.peak_bytes = account.live_bytes;
    account.peak_blocks = account.live_blocks;
    account.peak = moment;
  }

  std::vector<Account> accounts_;
  Account sum_;
  uint64_t mark_ = 1;
};

}  // namespace heapledger
