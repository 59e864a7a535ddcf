// The book of a pass for one question: counts what the plan selects, told apart by what the plan
// says. A block carries in its flags whether it is selected, whether it was born in the range, and
// whether it was live at the moment; where its lifetime decides, it is counted when it ends.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/duration.h"
#include "analyzer/ledger_set.h"
#include "analyzer/query/cells.h"
#include "analyzer/query/filter.h"
#include "analyzer/quiet_book.h"

namespace heapledger {

// A moment as a pass can meet it.
struct Watch {
  enum class What { kStart, kBirth, kSample, kMarker, kTime, kEnd };
  What what = What::kStart;
  uint64_t number = 0;   // kBirth, kSample: after that many; kMarker: after its number, from 1
  uint64_t time_ns = 0;  // when it is; kTime: what it is
};

enum class CellKey {
  kOne,
  kAccount,
  kThread,
  kSize,
  kSizeClass,
  kLifetimeClass,
  kLedger,
  kHeap,
  kLedgerAccount
};

struct Plan {
  CellKey key = CellKey::kAccount;
  bool between = false;
  Watch begin;  // of the range
  Watch end;    // of the range, or the moment

  Bounds size;
  Bounds lifetime_ns;
  std::vector<Bounds> time_units;          // by ledger; empty: all
  std::vector<char> accounts;              // which are selected; empty: all
  std::vector<std::vector<char>> threads;  // by ledger and place; empty: all
  std::vector<char> ledgers;               // which are selected; empty: all
  std::vector<uint32_t> cell_of_ledger;    // kLedger
  HeapChoice heaps;                        // that are told
  HeapChoice added;                        // kHeap: that the totals and the moments are of
  size_t max_cells = SIZE_MAX;             // kSize: the rest shares the last one

  bool extras = false;
  bool lifetimes = false;
  bool sizes = false;
  bool thread_sets = false;
  bool cell_peaks = true;
  bool no_peaks = false;                                 // nor those of all together
  const std::vector<uint32_t>* group_offsets = nullptr;  // own peaks of groups that overlap:
  const std::vector<uint32_t>* group_members = nullptr;  // by account
  uint32_t groups = 0;
};

class Tally final : public QuietBook {
 public:
  // Of so many accounts that there are already.
  Tally(const LedgerSet& set, const Plan& plan, uint32_t accounts);

  Tallied take() { return std::move(out_); }

  // kSize, and kThread and kLedgerAccount: what a cell stands for.
  const std::vector<uint64_t>& sizes() const { return size_list_; }
  const std::vector<ThreadId>& threads() const { return pair_list_; }

  // For the stops of the pass; `end`: the moment, or the end of the range.
  void reach_begin() override { in_range_ = true; }
  void reach_end() override;

  // AccountNumbers:
  void added(uint32_t account, uint32_t heap) override {
    if (plan_.key != CellKey::kHeap) return;
    heaps_.resize(account + 1);
    heaps_[account] = heap;
  }
  void merge(uint32_t from, uint32_t to, Moment) override { merged_[from] = to; }

  // For Scan:
  bool wants_prefetch() const override {
    return plan_.key == CellKey::kAccount && out_.cells.size() > 4096;
  }
  void prefetch(uint32_t account) const override {
    if (account >= out_.cells.size()) return;
    __builtin_prefetch(&out_.cells[account], 1);
    if (out_.cells_have_peaks) __builtin_prefetch(&out_.cell_peaks[account], 1);
  }
  void born(uint32_t ledger, LiveBlock& block, const Weight& weight) override;
  void died(uint32_t ledger, const LiveBlock& block, const Death& death,
            const Weight& weight) override;
  void lost(uint32_t ledger, const LiveBlock& block, uint64_t time, const Weight& weight) override;
  void left(uint32_t ledger, const LiveBlock& block, uint64_t time, const Weight& weight) override;
  void resized(uint32_t ledger, const Resize& resize) override;
  void spent(uint32_t ledger, const LiveBlock& block, uint64_t ns) override;
  void before(uint32_t ledger, uint32_t account, uint64_t time, const SiteBefore& before) override;
  void sampled(uint32_t, const MemorySample&) override { meet(Watch::What::kSample, ++samples_); }
  void marked(uint32_t, uint64_t, std::string_view) override {
    meet(Watch::What::kMarker, ++markers_);
  }

 private:
  static constexpr uint32_t kSelected = kFirstBookFlag;
  static constexpr uint32_t kInRange = kFirstBookFlag << 1;
  static constexpr uint32_t kLive = kFirstBookFlag << 2;
  static constexpr uint64_t kForever = UINT64_MAX;

  bool selects_before(uint32_t ledger, uint32_t account) const;
  bool selects(uint32_t ledger, uint64_t time, uint64_t size, uint32_t account,
               uint32_t thread) const;
  uint32_t cell_of(uint32_t ledger, uint64_t size, uint32_t account, uint32_t thread,
                   uint64_t lifetime);
  uint32_t cell_of_size(uint64_t size);
  uint32_t cell_of_pair(uint32_t ledger, uint32_t place);
  uint32_t grown(uint32_t cell) {
    if (cell >= out_.cells.size()) [[unlikely]] {
      grow(cell);
    }
    return cell;
  }
  void grow(uint32_t cell);
  void count_birth(uint32_t cell, uint32_t ledger, const LiveBlock& block, const Weight& weight);
  void end_block(uint32_t ledger, const LiveBlock& block, uint64_t time, const Death* death,
                 bool left, const Weight& weight);
  void change_peaks(uint32_t cell, const LiveBlock& block, uint32_t ledger, bool birth,
                    const Weight& weight);
  // The same address may be live in several heaps; an account is of one.
  static uint64_t moved_key(uint64_t address, uint32_t account) {
    return address ^ uint64_t { account } * 0x9E3779B97F4A7C15ull;
  }
  void count_moved(uint32_t cell, uint32_t ledger, const LiveBlock& block);
  void meet(Watch::What what, uint64_t number) {
    if (plan_.begin.what == what && plan_.begin.number == number) [[unlikely]] {
      reach_begin();
    }
    if (plan_.end.what == what && plan_.end.number == number) [[unlikely]] {
      reach_end();
    }
  }
  uint32_t heap_of(uint32_t account) const { return heaps_[account]; }
  bool is_added(uint32_t account) const {
    return plan_.key != CellKey::kHeap || plan_.added.has(heap_of(account));
  }
  uint32_t account_of(uint32_t account) const {
    if (merged_.empty()) [[likely]] {
      return account;
    }
    auto found = merged_.find(account);
    return found == merged_.end() ? account : found->second;
  }

  const LedgerSet& set_;
  const Plan& plan_;
  Tallied out_;
  bool deferred_;  // lifetimes decide
  bool in_range_;
  std::vector<uint32_t> heaps_;  // kHeap: by account
  uint64_t births_ = 0;
  uint64_t samples_ = 0;
  uint64_t markers_ = 0;
  std::unordered_map<uint32_t, uint32_t> merged_;
  std::unordered_map<uint64_t, uint32_t> size_cells_;
  std::vector<uint64_t> size_list_;
  std::vector<std::vector<uint32_t>> pair_cells_;  // by ledger and thread or account
  std::vector<ThreadId> pair_list_;
  std::vector<std::unordered_map<uint64_t, Resize>> moved_;  // deferred: by ledger and moved_key()
};

}  // namespace heapledger
