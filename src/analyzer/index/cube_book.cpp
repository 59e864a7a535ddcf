#include "analyzer/index/cube_book.h"

#include <algorithm>
#include <iterator>

#include "analyzer/duration.h"
#include "analyzer/query/classes.h"

namespace heapledger {
namespace {

// Rows of lives are larger.
constexpr size_t kPartOfLives = 2;
constexpr size_t kPartOfAllLives = 8;
// There are many of them, and each is to be read for an answer.
constexpr uint32_t kMostEdgesOfLives = 256;

// With fewer edges nobody can drag a cursor, or choose a range, and a pass has paid for nothing.
constexpr uint32_t kLeastEdges = 4;
constexpr uint32_t kLeastEdgesOfChanges = 16;

uint64_t key_of(const LiveBlock& block) {
  constexpr uint64_t kGoldenRatio = 0x9E3779B97F4A7C15ull;
  return block.address ^ uint64_t { block.account } * kGoldenRatio;
}

// The last bucket may have rows from before it became as wide as it is: each sorted, one after the
// other.
template <typename Row>
void join_last_bucket(std::vector<Row>& rows, size_t first_new) {
  const uint32_t bucket = rows.back().bucket;
  size_t first = first_new;
  while (first > 0 && rows[first - 1].bucket == bucket) --first;
  if (first == first_new) return;
  auto at = [&rows](size_t i) { return rows.begin() + static_cast<ptrdiff_t>(i); };
  std::inplace_merge(at(first), at(first_new), rows.end(), ByPlace());
  join_neighbours(rows, first);
}

// Of rows in the order of their places.
template <typename Row>
void halve_buckets(std::vector<Row>& rows) {
  auto at = [&rows](size_t i) { return rows.begin() + static_cast<ptrdiff_t>(i); };
  size_t begin = 0;
  while (begin < rows.size()) {
    const uint32_t pair = rows[begin].bucket / 2;
    size_t middle = begin;
    while (middle < rows.size() && rows[middle].bucket == 2 * pair) rows[middle++].bucket = pair;
    size_t end = middle;
    while (end < rows.size() && rows[end].bucket == 2 * pair + 1) rows[end++].bucket = pair;
    std::inplace_merge(at(begin), at(middle), at(end), ByPlace());
    begin = end;
  }
  join_neighbours(rows, 0);
}

// In so many rows. Only samples with absurd rates, which files may have, have more.
bool has_room_for(const Cell& cell) {
  constexpr uint64_t kMost = 64 * uint64_t{UINT32_MAX};
  return cell.calls < kMost && cell.ended_blocks < kMost;
}

// As many rows as it takes.
void append(const Cell& cell, uint32_t account, uint32_t bucket, std::vector<Change>& changes) {
  uint64_t calls = cell.calls, frees = cell.frees, ended = cell.ended_blocks;
  uint64_t temporary = cell.temporary_calls;
  auto take = [](uint64_t& from) {
    const auto part = static_cast<uint32_t>(std::min<uint64_t>(from, UINT32_MAX));
    from -= part;
    return part;
  };
  Change row{account,         bucket,     take(calls),      take(frees),   take(ended),
             take(temporary), cell.bytes, cell.ended_bytes, cell.smallest, cell.largest};
  changes.push_back(row);
  while (calls > 0 || frees > 0 || ended > 0 || temporary > 0) {
    changes.push_back({account, bucket, take(calls), take(frees), take(ended), take(temporary), 0,
                       0, UINT64_MAX, 0});
  }
}

}  // namespace

CubeBook::CubeBook(const LedgerSet& set, Edges edges, size_t most_rows, bool with_lives)
    : set_(set),
      most_rows_(most_rows),
      asked_for_lives_(with_lives),
      with_lives_(with_lives),
      ledgers_(set.size()),
      all_lives_(edges, most_rows / kPartOfAllLives, edges.count, nullptr),
      lives_(edges, most_rows / kPartOfLives, kMostEdgesOfLives, &all_lives_) {
  cube_.edges = cube_.change_edges = edges;
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
  if (too_much_) [[unlikely]] {
    return;
  }
  if (has_changes()) {
    Cell& change = change_of(block.account);
    change.calls += weight.calls;
    change.bytes += weight.bytes;
    change.smallest = std::min(change.smallest, block.size);
    change.largest = std::max(change.largest, block.size);
  }
  Ledger& of = ledgers_[ledger];
  if (!of.resizing.empty()) [[unlikely]] {
    if (auto found = of.resizing.extract(key_of(block))) {
      of.resized.insert(std::move(found));
      block.thread |= kResized;
    }
  }
  if (of.is_now(block.time)) [[likely]] {
    return;
  }
  block.thread |= kToldElsewhere;
  of.told[key_of(block)] = static_cast<uint16_t>(bucket_);
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
  if (!stays_.add({block.account, birth, death, weight.calls, weight.bytes})) return;
  stays_.sort();
  keep_within_bounds();
}

void CubeBook::end(uint32_t ledger, const LiveBlock& block, const Weight& weight,
                   uint64_t temporary, uint64_t freed, uint64_t time) {
  if (too_much_) [[unlikely]] {
    return;
  }
  const uint16_t birth = birth_of(ledger, block);
  if (has_changes()) {
    Cell& change = change_of(block.account);
    change.frees += freed;
    change.ended_blocks += weight.calls;
    change.ended_bytes += weight.bytes;
    if (birth == bucket_) {
      change.temporary_calls += temporary;
    } else if (temporary > 0) {
      late_.push_back({block.account, uint32_t{birth} >> halved_changes_, temporary});
    }
  }
  if (with_lives_) {
    const uint64_t lifetime = lifetime_ns(block.time, time, set_.ns_per_unit(ledger));
    LifeSums life{key_now(ledger, block), weight.calls, freed,     temporary,
                  weight.bytes,           block.size,   block.size};
    life.birth = birth;
    life.lifetime_class = static_cast<uint8_t>(class_of_lifetime(lifetime));
    live_on(ledger, block, weight, life);
  }
  const auto of_cube = static_cast<uint16_t>(birth >> halved_);
  const auto death = static_cast<uint16_t>(bucket_ >> halved_);
  if (weight.sampled) [[unlikely]] {
    add_spread({{of_cube, death, block.account}, weight.calls_variance, weight.bytes_variance, 0});
  }
  if (of_cube != death) stay(block, of_cube, death, weight);
}

void CubeBook::died(uint32_t ledger, const LiveBlock& block, const Death& death,
                    const Weight& weight) {
  end(ledger, block, weight, death.temporary ? weight.calls : 0, death.by_resize ? 0 : weight.calls,
      death.time);
}

void CubeBook::lost(uint32_t ledger, const LiveBlock& block, uint64_t time, const Weight& weight) {
  end(ledger, block, weight, 0, 0, time);
}

void CubeBook::left(uint32_t ledger, const LiveBlock& block, uint64_t, const Weight& weight) {
  if (too_much_) [[unlikely]] {
    return;
  }
  const uint16_t of_pass = birth_of(ledger, block);
  if (with_lives_) {
    LifeSums life{key_now(ledger, block), weight.calls, 0, 0, weight.bytes, block.size, block.size};
    life.birth = of_pass;
    life.death |= kLeftBit;
    life.lifetime_class = kLifetimeClassCount;
    live_on(ledger, block, weight, life);
  }
  const auto birth = static_cast<uint16_t>(of_pass >> halved_);
  const auto death = static_cast<uint16_t>(bucket_ >> halved_ | Stay::kLeft);
  if (weight.sampled) [[unlikely]] {
    add_spread({{birth, death, block.account}, weight.calls_variance, weight.bytes_variance, 0});
  }
  stay(block, birth, death, weight);
}

// --- lives ---

uint32_t CubeBook::thread_of(uint32_t ledger, uint32_t place) {
  std::vector<uint32_t>& numbers = ledgers_[ledger].threads;
  if (place >= numbers.size()) [[unlikely]] {
    numbers.resize(place + 1, UINT32_MAX);
  }
  if (numbers[place] == UINT32_MAX) [[unlikely]] {
    numbers[place] = static_cast<uint32_t>(thread_list_.size());
    thread_list_.emplace_back(ledger, place);
  }
  return numbers[place];
}

// In the bucket of the pass, whatever its life.
LifeKey CubeBook::key_now(uint32_t ledger, const LiveBlock& block) {
  const auto bucket = static_cast<uint16_t>(bucket_);
  return {bucket,
          bucket,
          block.account,
          thread_of(ledger, block.thread & kThreadBits),
          static_cast<uint8_t>(class_of_size(block.size)),
          LifeKey::kAnyLifetime};
}

void CubeBook::live_on(uint32_t ledger, const LiveBlock& block, const Weight& weight,
                       LifeSums life) {
  lives_.add(life);
  if (weight.sampled) [[unlikely]] {
    lives_.add(LifeSpread{life.key(), weight.calls_variance, weight.bytes_variance, 0});
  }
  if ((block.thread & kResized) == 0) [[likely]] {
    return;
  }
  auto found = ledgers_[ledger].resized.find(key_of(block));
  if (found == ledgers_[ledger].resized.end()) return;
  RareSums sums;
  const Resize& resize = found->second;
  sums.count_resize(resize.calls, resize.moves, resize.old_size, resize.size);
  life.death = life.birth;
  lives_.add(LifeResizes{life.key(), sums});
  ledgers_[ledger].resized.erase(found);
}

void CubeBook::resized(uint32_t ledger, const Resize& resize) {
  if (too_much_) return;
  RareSums sums;
  sums.count_resize(resize.calls, resize.moves, resize.old_size, resize.size);
  if (has_changes()) change_of(resize.account).RareSums::add(sums);
  if (!with_lives_ || resize.calls == 0) return;
  const LiveBlock block{resize.address, resize.size, resize.time, resize.account, resize.thread};
  lives_.add(LifeResizes{key_now(ledger, block), sums});
  ledgers_[ledger].resizing[key_of(block)] = resize;
}

void CubeBook::spent(uint32_t ledger, const LiveBlock& block, uint64_t ns) {
  if (too_much_) return;
  const auto bucket = static_cast<uint16_t>(bucket_ >> halved_);
  add_spread({{bucket, bucket, block.account}, 0, 0, ns});
  if (with_lives_) lives_.add(LifeSpread{key_now(ledger, block), 0, 0, ns});
}

void CubeBook::add_spread(LifeSpread row) {
  if (!spreads_.add(row)) return;
  spreads_.sort();
  keep_within_bounds();
}

// --- rows ---

void CubeBook::write_changes() {
  if (!has_changes()) return;
  std::sort(touched_.begin(), touched_.end());
  const uint32_t bucket = bucket_ >> halved_changes_;
  const size_t changes = cube_.changes.size(), rare = cube_.rare_changes.size();
  for (uint32_t account : touched_) {
    const Cell& cell = now_[account].cell;
    too_much_ = too_much_ || !has_room_for(cell);
    if (too_much_) break;
    append(cell, account, bucket, cube_.changes);
    auto sums = static_cast<const RareSums&>(cell);
    sums.temporary_calls = 0;
    if (sums != RareSums{}) cube_.rare_changes.push_back({sums, account, bucket});
  }
  touched_.clear();
  if (cube_.changes.size() > changes) join_last_bucket(cube_.changes, changes);
  if (cube_.rare_changes.size() > rare) join_last_bucket(cube_.rare_changes, rare);
  if (cube_.changes.size() > most_rows_ || late_.size() > most_rows_ / 4) keep_within_bounds();
}

// What was told late belongs to rows that are there.
void CubeBook::join_changes() {
  if (late_.empty()) return;
  std::sort(late_.begin(), late_.end(), ByPlace());
  auto at = cube_.changes.begin();
  size_t kept = 0;
  for (const LateTemporary& late : late_) {
    at = std::lower_bound(at, cube_.changes.end(), late.place(),
                          [](const Change& row, uint64_t place) { return row.place() < place; });
    const bool is_there = at != cube_.changes.end() && at->place() == late.place();
    if (is_there && at->temporary_calls + late.calls <= UINT32_MAX) {
      at->temporary_calls += static_cast<uint32_t>(late.calls);
    } else {
      late_[kept++] = late;
    }
  }
  late_.resize(kept);
  if (late_.empty()) return;
  for (const LateTemporary& late : late_) {
    Cell cell;
    cell.temporary_calls = late.calls;
    append(cell, late.account, late.bucket, cube_.changes);
  }
  late_.clear();
  sort_all(cube_.changes);
}

void CubeBook::keep_within_bounds() {
  join_changes();
  while (cube_.changes.size() > most_rows_ && cube_.change_edges.count > 1) {
    const uint32_t left =
        edges_left(cube_.changes.size(), most_rows_, cube_.change_edges, halved_changes_);
    if (left < kLeastEdgesOfChanges) {
      drop_changes();
    } else {
      halve_changes();
    }
  }
  const size_t most = most_rows_ * (has_changes() ? 1 : kStaysInPlaceOfChanges);
  while (std::max(stays_.rows.size(), spreads_.rows.size()) > most && cube_.edges.count > 1) {
    if (edges_left(stays_.rows.size(), most, cube_.edges, halved_) < kLeastEdges) return give_up();
    halve_stays();
  }
}

// Rows come as time goes on; two buckets have at most as many rows as both had.
uint32_t CubeBook::edges_left(uint64_t rows, uint64_t most, const Edges& edges,
                              unsigned halved) const {
  const uint64_t passed = (bucket_ >> halved) + uint64_t{1};
  uint64_t expected = rows * edges.count / passed;
  uint32_t left = edges.count;
  for (; expected > most; expected /= 2) left = (left + 1) / 2;
  return left;
}

void CubeBook::drop_changes() {
  cube_.change_edges = {};
  cube_.changes = {};
  cube_.rare_changes = {};
  now_ = {};
  touched_ = {};
  late_ = {};
}

void CubeBook::give_up() {
  too_much_ = true;
  with_lives_ = false;
  const Edges edges = cube_.edges;
  cube_ = {};
  stays_ = {};
  cube_.edges = edges;
  drop_changes();
  spreads_ = {};
  all_lives_.give_up();
  lives_.give_up();
}

// What is born and ends in one bucket stays no more; what its process left does.
void CubeBook::halve_stays() {
  ++halved_;
  cube_.edges.width_ns *= 2;
  cube_.edges.count = (cube_.edges.count + 1) / 2;
  for (Stay& stay : stays_.rows) {
    stay.birth /= 2;
    stay.death = static_cast<uint16_t>(stay.last() / 2 | (stay.death & Stay::kLeft));
  }
  std::erase_if(stays_.rows, [](const Stay& s) { return s.birth == s.death; });
  stays_.sort_again();
  halve_places(spreads_);
}

void CubeBook::halve_changes() {
  ++halved_changes_;
  cube_.change_edges.width_ns *= 2;
  cube_.change_edges.count = (cube_.change_edges.count + 1) / 2;
  halve_buckets(cube_.changes);
  halve_buckets(cube_.rare_changes);
}

uint32_t CubeBook::account_of(uint32_t account) const {
  for (auto to = merged_.find(account); to != merged_.end(); to = merged_.find(account)) {
    account = to->second;
  }
  return account;
}

// The same site, known late: its rows come together.
void CubeBook::rename_merged() {
  if (merged_.empty()) return;
  for (Stay& stay : stays_.rows) stay.account = account_of(stay.account);
  for (Change& change : cube_.changes) change.account = account_of(change.account);
  for (RareChange& change : cube_.rare_changes) change.account = account_of(change.account);
  for (LifeSpread& row : spreads_.rows) row.account = account_of(row.account);
  stays_.sort_again();
  sort_all(cube_.changes);
  sort_all(cube_.rare_changes);
  spreads_.sort_again();
}

Cube CubeBook::take() {
  write_changes();
  stays_.sort();
  join_changes();
  rename_merged();
  keep_within_bounds();
  cube_.spreads = spreads_.take();
  cube_.has_counted_lives = asked_for_lives_;
  if (with_lives_) {
    LivesBook::AccountOf renamed;
    if (!merged_.empty()) renamed = [this](uint32_t account) { return account_of(account); };
    cube_.lives = lives_.take(thread_list_, renamed);
    cube_.all_lives = all_lives_.take(thread_list_, {});
  }
  if (too_much_) return {};
  cube_.stays = stays_.take();
  cube_.changes.shrink_to_fit();
  cube_.rare_changes.shrink_to_fit();
  return std::move(cube_);
}

}  // namespace heapledger
