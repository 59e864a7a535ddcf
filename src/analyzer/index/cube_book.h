// The book that makes a cube, in a pass that stops at every edge. What a block was born in follows
// from its time; the few births that are told in another bucket than that of their time are
// remembered apart. Rows are kept sorted and added up; when there are too many of them, two buckets
// become one, of what stays or of what changes; and where that would leave hardly an edge of what
// changes, it is counted no more.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analyzer/index/cube.h"
#include "analyzer/index/lives_book.h"
#include "analyzer/index/rows.h"
#include "analyzer/ledger_set.h"
#include "analyzer/paged.h"
#include "analyzer/query/cells.h"
#include "analyzer/quiet_book.h"

namespace heapledger {

class CubeBook final : public QuietBook {
 public:
  // At most so many rows of each kind, and half as many again that wait to be sorted. Lives can be
  // told of heaps whose blocks end as they were born, not in parts.
  CubeBook(const LedgerSet& set, Edges edges, size_t most_rows, bool with_lives);

  // Times for the pass to stop at.
  std::vector<uint64_t> stops() const;
  // At each of them.
  void reach_edge();

  // After the pass. Without edges: it had numbers that no cube has room for, or so many accounts
  // that hardly an edge would have been left.
  Cube take();

  void added(uint32_t account, uint32_t) override {
    if (has_changes()) now_.grow_to(account + 1);
  }
  void merge(uint32_t from, uint32_t to, Moment) override { merged_[from] = to; }

  void prefetch(uint32_t account) const override {
    if (account < now_.size()) __builtin_prefetch(&now_[account], 1);
    lives_.prefetch(account);
  }
  void born(uint32_t ledger, LiveBlock& block, const Weight& weight) override;
  void died(uint32_t ledger, const LiveBlock& block, const Death& death,
            const Weight& weight) override;
  void lost(uint32_t ledger, const LiveBlock& block, uint64_t time, const Weight& weight) override;
  void left(uint32_t ledger, const LiveBlock& block, uint64_t, const Weight& weight) override;
  void resized(uint32_t ledger, const Resize& resize) override;
  void spent(uint32_t ledger, const LiveBlock& block, uint64_t ns) override;
  // Of these calls nobody knows whose they were.
  void before(uint32_t, uint32_t, uint64_t, const SiteBefore&) override { with_lives_ = false; }

 private:
  // Its birth was told in another bucket than that of its time; it was another block before.
  static constexpr uint32_t kToldElsewhere = kFirstBookFlag;
  static constexpr uint32_t kResized = kFirstBookFlag << 1;

  struct Ledger {
    std::vector<uint64_t> ends;  // the last time unit of every bucket
    uint64_t before = 0;         // the last of the bucket before this one …
    bool is_first = true;        // … if there is one
    uint64_t until = 0;          // the last of this one
    // The buckets of births, by address and account: nothing else tells two of them apart.
    std::unordered_map<uint64_t, uint16_t> told;
    // What blocks were before, likewise: those that are not told of yet, and those that are.
    std::unordered_map<uint64_t, Resize> resizing;
    std::unordered_map<uint64_t, Resize> resized;
    std::vector<uint32_t> threads;  // by place: the number in thread_list_

    bool is_now(uint64_t time) const { return (is_first || time > before) && time <= until; }
  };

  // What happens to the blocks of an account in the bucket of the pass.
  struct Now {
    Cell cell;
    uint32_t bucket = 0;  // one more than that of the pass; 0: none yet
  };
  // Born in an earlier bucket than that in which it turns out how.
  struct LateTemporary {
    uint32_t account;
    uint32_t bucket;
    uint64_t calls;

    uint64_t place() const { return uint64_t{bucket} << 32 | account; }
  };

  Cell& change_of(uint32_t account) {
    if (account >= now_.size()) now_.grow_to(account + 1);
    Now& now = now_[account];
    if (now.bucket != bucket_ + 1) {
      now = {{}, bucket_ + 1};
      touched_.push_back(account);
    }
    return now.cell;
  }
  uint16_t birth_of(uint32_t ledger, const LiveBlock& block);
  void end(uint32_t ledger, const LiveBlock& block, const Weight& weight, uint64_t temporary,
           uint64_t freed, uint64_t time);
  void live_on(uint32_t ledger, const LiveBlock& block, const Weight& weight, LifeSums life);
  LifeKey key_now(uint32_t ledger, const LiveBlock& block);
  uint32_t thread_of(uint32_t ledger, uint32_t place);
  void add_spread(LifeSpread row);
  void stay(const LiveBlock& block, uint16_t birth, uint16_t death, const Weight& weight);
  void write_changes();
  void join_changes();
  void keep_within_bounds();
  uint32_t edges_left(uint64_t rows, uint64_t most, const Edges& edges, unsigned halved) const;
  bool has_changes() const { return cube_.change_edges.count > 0; }
  void drop_changes();
  void give_up();
  void halve_stays();
  void halve_changes();
  void rename_merged();
  uint32_t account_of(uint32_t account) const;

  const LedgerSet& set_;
  size_t most_rows_;
  const bool asked_for_lives_;
  bool with_lives_;
  bool too_much_ = false;
  Cube cube_;
  std::vector<Ledger> ledgers_;
  uint32_t bucket_ = 0;  // of the pass; the cube's may be wider
  unsigned halved_ = 0;
  unsigned halved_changes_ = 0;
  Paged<Now> now_;  // by account
  std::vector<uint32_t> touched_;
  std::vector<LateTemporary> late_;
  SortedRows<Stay> stays_;
  std::unordered_map<uint32_t, uint32_t> merged_;
  SortedRows<LifeSpread> spreads_;
  std::vector<ThreadId> thread_list_;
  LivesBook all_lives_;
  LivesBook lives_;
};

}  // namespace heapledger
