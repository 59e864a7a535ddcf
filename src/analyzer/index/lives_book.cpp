#include "analyzer/index/lives_book.h"

#include <algorithm>
#include <utility>

namespace heapledger {
namespace {

uint32_t slot_of(const LifeKey& key) {
  constexpr uint64_t kGoldenRatio = 0x9E3779B97F4A7C15ull;
  const auto [where, what] = key.place();
  return static_cast<uint32_t>(((where ^ what * kGoldenRatio) * kGoldenRatio) >> 32);
}

template <typename Row>
void rename_accounts(SortedRows<Row>& rows, const LivesBook::AccountOf& account_of) {
  for (Row& row : rows.rows) row.account = account_of(row.account);
  rows.sort_again();
}

template <typename Row>
Row without_account(Row row) {
  row.account = 0;
  return row;
}

}  // namespace

void LifeSums::add(const LifeSums& other) {
  calls += other.calls;
  frees += other.frees;
  temporary_calls += other.temporary_calls;
  bytes += other.bytes;
  smallest = std::min(smallest, other.smallest);
  largest = std::max(largest, other.largest);
}

LivesBook::LivesBook(Edges edges, size_t most_rows, uint32_t most_edges, LivesBook* of_all)
    : edges_(edges), most_rows_(most_rows), of_all_(of_all) {
  if (of_all_ == nullptr) slots_.grow_to(kSlots);
  while (edges_.count > most_edges) halve();
}

void LivesBook::to_own_buckets(LifeKey& key) const {
  key.birth = static_cast<uint16_t>(key.birth >> halved_);
  key.death = static_cast<uint16_t>(key.last() >> halved_ | (key.death & kLeftBit));
}

void LivesBook::add(const LifeSums& life) {
  if (given_up_) {
    if (of_all_ != nullptr) of_all_->add(without_account(life));
    return;
  }
  const uint32_t first =
      of_all_ != nullptr ? kSlotsOfAccount * life.account : slot_of(life) % kSlots;
  if (first >= slots_.size()) slots_.grow_to(first + kSlotsOfAccount);
  LifeSums& slot = slots_[first];
  if (slot.place() == life.place() && !slot.empty()) [[likely]] {
    slot.add(life);
    return;
  }
  // What was there last is the likeliest to come next.
  LifeSums before = std::exchange(slot, life);
  if (of_all_ != nullptr) {
    std::swap(before, slots_[first + 1]);
    if (before.place() == life.place() && !before.empty()) {
      slot.add(before);
      return;
    }
  }
  if (!before.empty()) move_out(before);  // upon which there may be no slots any more
}

void LivesBook::add(LifeResizes row) {
  if (of_all_ != nullptr) of_all_->add(without_account(row));
  to_own_buckets(row);
  place(row, resizes_);
}

void LivesBook::add(LifeSpread row) {
  if (of_all_ != nullptr) of_all_->add(without_account(row));
  to_own_buckets(row);
  place(row, spreads_);
}

template <typename Row>
void LivesBook::place(const Row& row, SortedRows<Row>& rows) {
  if (given_up_ || !rows.add(row)) return;
  rows.sort();
  keep_within_bounds();
}

void LivesBook::move_out(const LifeSums& sums) {
  if (of_all_ != nullptr) of_all_->add(without_account(sums));
  if (std::max({sums.calls, sums.frees, sums.temporary_calls}) > UINT32_MAX) give_up();
  Life row{sums.key(),
           static_cast<uint32_t>(sums.calls),
           static_cast<uint32_t>(sums.frees),
           static_cast<uint32_t>(sums.temporary_calls),
           sums.bytes,
           sums.smallest,
           sums.largest};
  to_own_buckets(row);
  place(row, lives_);
}

void LivesBook::keep_within_bounds() {
  while (!given_up_ &&
         std::max({lives_.rows.size(), resizes_.rows.size(), spreads_.rows.size()}) > most_rows_) {
    halve();
  }
}

void LivesBook::move_out_all() {
  Paged<LifeSums> slots = std::move(slots_);
  slots_ = {};
  for (uint32_t i = 0; i < slots.size(); ++i) {
    if (!slots[i].empty()) move_out(slots[i]);
  }
}

// What waits in the slots is for the other book, too.
void LivesBook::give_up() {
  if (given_up_) return;
  given_up_ = true;
  move_out_all();
  lives_ = {};
  resizes_ = {};
  spreads_ = {};
}

void LivesBook::halve() {
  ++halved_;
  edges_.width_ns *= 2;
  edges_.count = (edges_.count + 1) / 2;
  if (edges_.count < kLeastEdges) {
    give_up();
    return;
  }
  halve_places(lives_);
  halve_places(resizes_);
  halve_places(spreads_);
}

Lives LivesBook::take(std::vector<ThreadId> threads, const AccountOf& account_of) {
  move_out_all();
  if (account_of) {
    rename_accounts(lives_, account_of);
    rename_accounts(resizes_, account_of);
    rename_accounts(spreads_, account_of);
  }
  lives_.sort();
  resizes_.sort();
  spreads_.sort();
  keep_within_bounds();
  if (given_up_) return {};
  return {edges_, std::move(threads), lives_.take(), resizes_.take(), spreads_.take()};
}

}  // namespace heapledger
