#include "analyzer/index/lives_book.h"

#include <algorithm>
#include <utility>

namespace heapledger {
namespace {

size_t slot_of(const LifeKey& key) {
  constexpr uint64_t kGoldenRatio = 0x9E3779B97F4A7C15ull;
  const auto [where, what] = key.place();
  return static_cast<size_t>(((where ^ what * kGoldenRatio) * kGoldenRatio) >> 32);
}

template <typename Row>
void rename_accounts(SortedRows<Row>& rows, const LivesBook::AccountOf& account_of) {
  for (Row& row : rows.rows) row.account = account_of(row.account);
  rows.sort_again();
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

LivesBook::LivesBook(Edges edges, size_t most_rows, LivesBook* of_all_accounts)
    : edges_(edges), most_rows_(most_rows), of_all_accounts_(of_all_accounts), slots_(kSlots) {}

void LivesBook::add(const LifeSums& life) {
  LifeSums& slot = slots_[slot_of(life) % kSlots];
  if (slot.place() == life.place() && !slot.empty()) {
    slot.add(life);
    return;
  }
  if (!slot.empty()) move_out(slot);
  slot = life;
}

void LivesBook::add(LifeResizes row) {
  if (of_all_accounts_ != nullptr) {
    LifeResizes of_all = row;
    of_all.account = 0;
    of_all_accounts_->add(of_all);
  }
  place(row, resizes_);
}

void LivesBook::add(LifeSpread row) {
  if (of_all_accounts_ != nullptr) {
    LifeSpread of_all = row;
    of_all.account = 0;
    of_all_accounts_->add(of_all);
  }
  place(row, spreads_);
}

template <typename Row>
void LivesBook::place(Row& row, SortedRows<Row>& rows) {
  if (given_up_) return;
  row.birth = static_cast<uint16_t>(row.birth >> halved_);
  row.death = static_cast<uint16_t>(row.last() >> halved_ | (row.death & kLeftBit));
  if (!rows.add(row)) return;
  rows.sort();
  keep_within_bounds();
}

void LivesBook::move_out(const LifeSums& sums) {
  if (of_all_accounts_ != nullptr) {
    LifeSums of_all = sums;
    of_all.account = 0;
    of_all_accounts_->add(of_all);
  }
  if (std::max({sums.calls, sums.frees, sums.temporary_calls}) > UINT32_MAX) give_up();
  Life row{sums,
           static_cast<uint32_t>(sums.calls),
           static_cast<uint32_t>(sums.frees),
           static_cast<uint32_t>(sums.temporary_calls),
           sums.bytes,
           sums.smallest,
           sums.largest};
  place(row, lives_);
}

void LivesBook::keep_within_bounds() {
  while (!given_up_ &&
         std::max({lives_.rows.size(), resizes_.rows.size(), spreads_.rows.size()}) > most_rows_) {
    halve();
  }
}

void LivesBook::give_up() {
  given_up_ = true;
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
  for (const LifeSums& slot : slots_) {
    if (!slot.empty()) move_out(slot);
  }
  slots_ = {};
  rename_accounts(lives_, account_of);
  rename_accounts(resizes_, account_of);
  rename_accounts(spreads_, account_of);
  keep_within_bounds();
  if (given_up_) return {};
  return {edges_, std::move(threads), lives_.take(), resizes_.take(), spreads_.take()};
}

}  // namespace heapledger
