#include "analyzer/index/cube_book.h"

#include <algorithm>
#include <tuple>

namespace heapledger {
namespace {

uint64_t key_of(const LiveBlock& block) {
  constexpr uint64_t kGoldenRatio = 0x9E3779B97F4A7C15ull;
  return block.address ^ uint64_t { block.account } * kGoldenRatio;
}

auto place_of(const Stay& stay) {
  return std::tie(stay.birth, stay.death, stay.account);
}
auto place_of(const Change& change) {
  return std::tie(change.bucket, change.account);
}
void join(Stay& stay, const Stay& other) {
  stay.blocks += other.blocks;
  stay.bytes += other.bytes;
}
void join(Change& change, const Change& other) {
  change.add(other);
}

// Sorts what follows the first `sorted` rows, puts it among them, and makes equal places one row.
template <typename Row>
void sort_rows(std::vector<Row>& rows, size_t& sorted) {
  auto before = [](const Row& a, const Row& b) { return place_of(a) < place_of(b); };
  auto middle = rows.begin() + static_cast<ptrdiff_t>(sorted);
  std::sort(middle, rows.end(), before);
  std::inplace_merge(rows.begin(), middle, rows.end(), before);
  size_t kept = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (kept > 0 && place_of(rows[kept - 1]) == place_of(rows[i])) {
      join(rows[kept - 1], rows[i]);
    } else {
      rows[kept++] = rows[i];
    }
  }
  rows.resize(kept);
  sorted = kept;
}

}  // namespace

CubeBook::CubeBook(const LedgerSet& set, Edges edges, size_t most_rows)
    : most_rows_(most_rows), ledgers_(set.size()) {
  cube_.edges = edges;
  for (uint32_t i = 0; i < set.size(); ++i) {
    for (uint32_t edge = 0; edge < edges.count; ++edge) {
      ledgers_[i].ends.push_back(set.units_at(i, edges.time_of(edge)));
    }
    ledgers_[i].until = edges.count > 1 ? ledgers_[i].ends[0] : UINT64_MAX;
  }
  now_.grow_to(set.catalog().accounts());
}

// The last bucket ends with the recording.
std::vector<uint64_t> CubeBook::stops() const {
  std::vector<uint64_t> stops;
  for (uint32_t edge = 0; edge + 1 < cube_.edges.count; ++edge) {
    stops.push_back(cube_.edges.time_of(edge));
  }
  return stops;
}

void CubeBook::reach_edge() {
  write_changes();
  ++bucket_;
  for (Ledger& ledger : ledgers_) {
    ledger.before = ledger.until;
    ledger.is_first = false;
    ledger.until = bucket_ + 1 < ledger.ends.size() ? ledger.ends[bucket_] : UINT64_MAX;
  }
}

void CubeBook::born(uint32_t ledger, LiveBlock& block, const Weight& weight) {
  Change& change = change_of(block.account);
  change.calls += weight.calls;
  change.bytes += weight.bytes;
  change.smallest = std::min(change.smallest, block.size);
  change.largest = std::max(change.largest, block.size);
  if (ledgers_[ledger].is_now(block.time)) [[likely]] {
    return;
  }
  block.thread |= kToldElsewhere;
  ledgers_[ledger].told[key_of(block)] = static_cast<uint16_t>(bucket_);
}

// In buckets of the pass.
uint16_t CubeBook::birth_of(uint32_t number, const LiveBlock& block) {
  Ledger& ledger = ledgers_[number];
  if ((block.thread & kToldElsewhere) != 0) [[unlikely]] {
    auto told = ledger.told.find(key_of(block));
    if (told != ledger.told.end()) {
      const uint16_t bucket = told->second;
      ledger.told.erase(told);
      return bucket;
    }
  }
  if (ledger.is_now(block.time)) return static_cast<uint16_t>(bucket_);
  auto end = std::lower_bound(ledger.ends.begin(), ledger.ends.end(), block.time);
  return static_cast<uint16_t>(end - ledger.ends.begin());
}

void CubeBook::stay(const LiveBlock& block, uint16_t birth, uint16_t death, const Weight& weight) {
  cube_.stays.push_back({block.account, birth, death, weight.calls, weight.bytes});
  if (cube_.stays.size() - sorted_stays_ >= most_rows_) sort_stays();
}

Change& CubeBook::end(uint32_t ledger, const LiveBlock& block, const Weight& weight,
                      uint64_t temporary) {
  Change& change = change_of(block.account);
  change.ended_blocks += weight.calls;
  change.ended_bytes += weight.bytes;
  const uint16_t birth = birth_of(ledger, block);
  if (birth == bucket_) {
    change.rare.temporary_calls += temporary;
    return change;
  }
  const auto of_cube = static_cast<uint16_t>(birth >> halved_);
  if (temporary > 0) {
    Change earlier;
    earlier.account = block.account;
    earlier.bucket = of_cube;
    earlier.rare.temporary_calls = temporary;
    cube_.changes.push_back(earlier);
  }
  const auto death = static_cast<uint16_t>(bucket_ >> halved_);
  if (of_cube != death) stay(block, of_cube, death, weight);
  return change;
}

void CubeBook::died(uint32_t ledger, const LiveBlock& block, const Death& death,
                    const Weight& weight) {
  Change& change = end(ledger, block, weight, death.temporary ? weight.calls : 0);
  if (!death.by_resize) change.frees += weight.calls;
}

void CubeBook::left(uint32_t ledger, const LiveBlock& block, uint64_t, const Weight& weight) {
  const auto birth = static_cast<uint16_t>(birth_of(ledger, block) >> halved_);
  stay(block, birth, static_cast<uint16_t>(bucket_ >> halved_ | Stay::kLeft), weight);
}

void CubeBook::resized(uint32_t, const Resize& resize) {
  change_of(resize.account)
      .rare.count_resize(resize.calls, resize.moves, resize.old_size, resize.size);
}

// --- rows ---

void CubeBook::write_changes() {
  for (uint32_t account : touched_) {
    Change& row = cube_.changes.emplace_back(now_[account]);
    row.bucket = bucket_ >> halved_;
  }
  touched_.clear();
  if (cube_.changes.size() - sorted_changes_ >= most_rows_) sort_changes();
}

void CubeBook::sort_stays() {
  sort_rows(cube_.stays, sorted_stays_);
  while (cube_.stays.size() > most_rows_ && cube_.edges.count > 1) halve();
}

void CubeBook::sort_changes() {
  sort_rows(cube_.changes, sorted_changes_);
  while (cube_.changes.size() > most_rows_ && cube_.edges.count > 1) halve();
}

// What is born and ends in one bucket stays no more; what its process left does.
void CubeBook::halve() {
  ++halved_;
  cube_.edges.width_ns *= 2;
  cube_.edges.count = (cube_.edges.count + 1) / 2;
  for (Stay& stay : cube_.stays) {
    stay.birth /= 2;
    stay.death = static_cast<uint16_t>(stay.last() / 2 | (stay.death & Stay::kLeft));
  }
  std::erase_if(cube_.stays, [](const Stay& s) { return s.birth == s.death; });
  for (Change& change : cube_.changes) change.bucket /= 2;
  // Rows are still in order of their buckets, but not within them.
  sorted_stays_ = sorted_changes_ = 0;
  sort_rows(cube_.stays, sorted_stays_);
  sort_rows(cube_.changes, sorted_changes_);
}

uint32_t CubeBook::account_of(uint32_t account) const {
  for (auto to = merged_.find(account); to != merged_.end(); to = merged_.find(account)) {
    account = to->second;
  }
  return account;
}

Cube CubeBook::take() {
  write_changes();
  if (!merged_.empty()) {
    for (Stay& stay : cube_.stays) stay.account = account_of(stay.account);
    for (Change& change : cube_.changes) change.account = account_of(change.account);
    sorted_stays_ = sorted_changes_ = 0;
  }
  sort_stays();
  sort_changes();
  cube_.stays.shrink_to_fit();
  cube_.changes.shrink_to_fit();
  return std::move(cube_);
}

}  // namespace heapledger
