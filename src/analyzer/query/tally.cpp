#include "analyzer/query/tally.h"

#include "analyzer/query/classes.h"
#include "analyzer/query/grouping.h"

namespace heapledger {

Tally::Tally(const LedgerSet& set, const Plan& plan, uint32_t accounts)
    : set_(set),
      plan_(plan),
      deferred_(plan.key == CellKey::kLifetimeClass || !plan.lifetime_ns.is_open()),
      in_range_(!plan.between || plan.begin.what == Watch::What::kStart),
      pair_cells_(set.size()),
      moved_(set.size()) {
  if (plan.key == CellKey::kAccount && accounts > 0) grow(accounts - 1);
  if (plan.key == CellKey::kOne) grow(0);
  if (plan.key == CellKey::kHeap) heaps_ = heaps_of_accounts(set.catalog(), accounts);
  out_.cells_have_peaks = plan.cell_peaks && !deferred_;
  out_.has_total_peak = !deferred_;
  if (plan.group_offsets != nullptr && !deferred_) out_.group_peaks.grow_to(plan.groups);
  // A moment before the first birth, sample or marker is the start.
  if (plan.begin.what != Watch::What::kEnd && plan.begin.what != Watch::What::kTime &&
      plan.begin.number == 0) {
    in_range_ = true;
  }
  // A range that ends at the start is empty.
  if (plan.between && plan.end.what == Watch::What::kStart) in_range_ = false;
}

void Tally::grow(uint32_t cell) {
  out_.cells.grow_to(cell + 1);
  if (plan_.extras) out_.extras.grow_to(cell + 1);
  if (plan_.cell_peaks && !deferred_) out_.cell_peaks.grow_to(cell + 1);
}

// --- what belongs where ---

inline bool Tally::selects(uint32_t ledger, uint64_t time, uint64_t size, uint32_t account,
                           uint32_t thread) const {
  if (!plan_.size.holds(size)) return false;
  if (!plan_.ledgers.empty() && plan_.ledgers[ledger] == 0) return false;
  if (!plan_.time_units.empty() && !plan_.time_units[ledger].holds(time)) return false;
  if (!plan_.accounts.empty() &&
      (account >= plan_.accounts.size() || plan_.accounts[account] == 0)) {
    return false;
  }
  if (!plan_.threads.empty()) {
    const std::vector<char>& selected = plan_.threads[ledger];
    if (thread >= selected.size() || selected[thread] == 0) return false;
  }
  return true;
}

inline uint32_t Tally::cell_of(uint32_t ledger, uint64_t size, uint32_t account, uint32_t thread,
                               uint64_t lifetime) {
  switch (plan_.key) {
    case CellKey::kOne:
      return 0;
    case CellKey::kAccount:
      return grown(account);
    case CellKey::kThread:
      return cell_of_pair(ledger, thread);
    case CellKey::kSize:
      return cell_of_size(size);
    case CellKey::kSizeClass:
      return grown(class_of_size(size));
    case CellKey::kLifetimeClass:
      return grown(lifetime == kForever ? kLifetimeClassCount : class_of_lifetime(lifetime));
    case CellKey::kLedger:
      return grown(plan_.cell_of_ledger[ledger]);
    case CellKey::kHeap:
      return grown(heap_of(account));
    case CellKey::kLedgerAccount:
      return cell_of_pair(ledger, account);
  }
  return 0;
}

uint32_t Tally::cell_of_size(uint64_t size) {
  auto found = size_cells_.find(size);
  if (found != size_cells_.end()) return found->second;
  auto cell = static_cast<uint32_t>(size_list_.size());
  if (cell + 1 >= plan_.max_cells) return grown(cell);  // the rest
  size_cells_.emplace(size, cell);
  size_list_.push_back(size);
  return grown(cell);
}

uint32_t Tally::cell_of_pair(uint32_t ledger, uint32_t place) {
  std::vector<uint32_t>& cells = pair_cells_[ledger];
  if (place >= cells.size()) cells.resize(place + 1, UINT32_MAX);
  if (cells[place] == UINT32_MAX) {
    cells[place] = static_cast<uint32_t>(pair_list_.size());
    pair_list_.emplace_back(ledger, place);
  }
  return grown(cells[place]);
}

// --- counting ---

namespace {

void add_live(Cell& sums, const Weight& weight) {
  sums.live_blocks += weight.calls;
  sums.live_bytes += weight.bytes;
  if (weight.sampled) sums.live_variance += weight.bytes_variance;
}

}  // namespace

inline void Tally::count_birth(uint32_t cell, uint32_t ledger, const LiveBlock& block,
                               const Weight& weight) {
  Cell& sums = out_.cells[cell];
  sums.calls += weight.calls;
  sums.bytes += weight.bytes;
  if (weight.sampled) [[unlikely]] {
    sums.calls_variance += weight.calls_variance;
    sums.bytes_variance += weight.bytes_variance;
  }
  if (block.size < sums.smallest) sums.smallest = block.size;
  if (block.size > sums.largest) sums.largest = block.size;
  if (!plan_.extras) return;
  Extras& extras = out_.extras[cell];
  if (plan_.sizes) extras.sizes.add(block.size, weight.calls);
  if (plan_.thread_sets) add_thread(extras.allocating, {ledger, block.thread & kThreadBits});
}

static void count_resize(Cell& sums, const Resize& resize) {
  sums.count_resize(resize.calls, resize.moves, resize.old_size, resize.size);
}

// Peaks are of blocks born in the range, at moments of the range.
inline void Tally::change_peaks(uint32_t cell, const LiveBlock& block, uint32_t ledger, bool birth,
                                const Weight& weight) {
  auto change = [&](PeakCell& peak) {
    if (birth) {
      peak.born(weight, {block.time, ledger});
    } else {
      peak.died(weight);
    }
  };
  if (is_added(block.account)) change(out_.total_peak);
  if (out_.cells_have_peaks) change(out_.cell_peaks[cell]);
  if (plan_.group_offsets == nullptr) return;
  uint32_t account = account_of(block.account);
  if (account + 1 >= plan_.group_offsets->size()) return;
  for (uint32_t i = (*plan_.group_offsets)[account]; i < (*plan_.group_offsets)[account + 1]; ++i) {
    change(out_.group_peaks[(*plan_.group_members)[i]]);
  }
}

void Tally::born(uint32_t ledger, LiveBlock& block, const Weight& weight) {
  uint32_t account = account_of(block.account);
  uint32_t thread = block.thread & kThreadBits;
  bool counts = is_added(account);
  births_ += counts ? 1 : 0;
  if (selects(ledger, block.time, block.size, account, thread)) {
    if (in_range_ && !deferred_) {
      uint32_t cell = cell_of(ledger, block.size, account, thread, 0);
      count_birth(cell, ledger, block, weight);
      change_peaks(cell, block, ledger, true, weight);
    }
    block.thread |= kSelected | (in_range_ ? kInRange : 0);
  }
  if (counts) meet(Watch::What::kBirth, births_);
}

// What is the same for every end of a block; `death` is there when it was freed or resized.
inline void Tally::end_block(uint32_t ledger, const LiveBlock& block, uint64_t time,
                             const Death* death, bool left, const Weight& weight) {
  if ((block.thread & kSelected) == 0) return;
  bool counted = (block.thread & kInRange) != 0;
  uint64_t lifetime = 0;
  if (left) {
    lifetime = kForever;
  } else if (deferred_ || plan_.lifetimes) {
    lifetime = lifetime_ns(block.time, time, set_.ns_per_unit(ledger));
  }
  if (deferred_ && !plan_.lifetime_ns.holds(lifetime)) {
    moved_[ledger].erase(moved_key(block.address, block.account));
    return;
  }
  uint32_t account = account_of(block.account);
  uint32_t cell = cell_of(ledger, block.size, account, block.thread & kThreadBits, lifetime);
  Cell& sums = out_.cells[cell];
  if (deferred_) {
    if (counted) {
      count_birth(cell, ledger, block, weight);
      count_moved(cell, ledger, block);
    }
    if ((block.thread & kLive) != 0) add_live(sums, weight);
  } else if (counted && (in_range_ || !plan_.between)) {
    change_peaks(cell, block, ledger, false, weight);
  }
  if (left) {
    if (plan_.end.what == Watch::What::kEnd && counted) add_live(sums, weight);
    return;
  }
  if (counted && death != nullptr) sums.count_free(weight.calls, death->temporary);
  if (counted && plan_.lifetimes) out_.extras[cell].lifetimes.add(lifetime, weight.calls);
  if (!in_range_) return;
  sums.ended_blocks += weight.calls;
  sums.ended_bytes += weight.bytes;
  if (death == nullptr) return;
  if (!death->by_resize) sums.frees += weight.calls;
  if (plan_.thread_sets) add_thread(out_.extras[cell].freeing, {ledger, death->thread});
}

void Tally::died(uint32_t ledger, const LiveBlock& block, const Death& death,
                 const Weight& weight) {
  end_block(ledger, block, death.time, &death, false, weight);
}

void Tally::lost(uint32_t ledger, const LiveBlock& block, uint64_t time, const Weight& weight) {
  end_block(ledger, block, time, nullptr, false, weight);
}

void Tally::left(uint32_t ledger, const LiveBlock& block, uint64_t time, const Weight& weight) {
  end_block(ledger, block, time, nullptr, true, weight);
}

// How long the block will live does not matter to the time before it.
void Tally::spent(uint32_t ledger, const LiveBlock& block, uint64_t ns) {
  uint32_t account = account_of(block.account);
  if (!in_range_ || deferred_ || !selects(ledger, block.time, block.size, account, block.thread)) {
    return;
  }
  out_.has_time = true;
  out_.cells[cell_of(ledger, block.size, account, block.thread, 0)].time_ns += ns;
}

// These calls have no times, sizes or threads: only a question that asks for none of that has them.
bool Tally::selects_before(uint32_t ledger, uint32_t account) const {
  bool by_site = plan_.key == CellKey::kOne || plan_.key == CellKey::kAccount ||
                 plan_.key == CellKey::kLedger || plan_.key == CellKey::kLedgerAccount;
  return by_site && !plan_.between && !deferred_ && plan_.size.is_open() &&
         plan_.time_units.empty() && plan_.threads.empty() && selects(ledger, 0, 0, account, 0);
}

void Tally::before(uint32_t ledger, uint32_t account, uint64_t time, const SiteBefore& before) {
  account = account_of(account);
  if (!selects_before(ledger, account)) return;
  uint32_t cell = cell_of(ledger, 0, account, 0, 0);
  Cell& sums = out_.cells[cell];
  sums.calls += before.calls;
  sums.bytes += before.bytes;
  sums.frees += before.calls;
  sums.ended_blocks += before.calls;
  sums.ended_bytes += before.bytes;
  // A group had at least as much as each of its sites.
  Moment moment{time, ledger};
  if (out_.cells_have_peaks) out_.cell_peaks[cell].reached(before.peak, moment);
  if (plan_.group_offsets == nullptr || account + 1 >= plan_.group_offsets->size()) return;
  for (uint32_t i = (*plan_.group_offsets)[account]; i < (*plan_.group_offsets)[account + 1]; ++i) {
    out_.group_peaks[(*plan_.group_members)[i]].reached(before.peak, moment);
  }
}

void Tally::resized(uint32_t ledger, const Resize& resize) {
  uint32_t account = account_of(resize.account);
  if (!in_range_ || !selects(ledger, resize.time, resize.size, account, resize.thread)) return;
  if (deferred_) {
    moved_[ledger][moved_key(resize.address, resize.account)] = resize;
    return;
  }
  count_resize(out_.cells[cell_of(ledger, resize.size, account, resize.thread, 0)], resize);
}

void Tally::count_moved(uint32_t cell, uint32_t ledger, const LiveBlock& block) {
  auto found = moved_[ledger].find(moved_key(block.address, block.account));
  if (found == moved_[ledger].end()) return;
  count_resize(out_.cells[cell], found->second);
  moved_[ledger].erase(found);
}

// --- moments ---

void Tally::reach_end() {
  for (uint32_t ledger = 0; ledger < tables().size(); ++ledger) {
    if (tables()[ledger] == nullptr) continue;
    tables()[ledger]->for_each([&](LiveBlock& block) {
      if ((block.thread & kSelected) == 0 || (block.thread & kInRange) == 0) return;
      block.thread |= kLive;
      if (deferred_) return;
      uint32_t cell =
          cell_of(ledger, block.size, account_of(block.account), block.thread & kThreadBits, 0);
      add_live(out_.cells[cell], set_.sampling(ledger).of(block));
    });
  }
  if (plan_.between) in_range_ = false;
}

}  // namespace heapledger
