#include "analyzer/index/cube_store.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "analyzer/query/classes.h"
#include "analyzer/seal/zstd_codec.h"
#include "format/varint.h"

namespace heapledger {
namespace {

constexpr int kCubeLevel = 7;
constexpr uint32_t kMostEdges = Stay::kLeft;
constexpr size_t kLongestVarint = 10;

// Numbers, one after the other, as a column of its own.
class ColumnWriter {
 public:
  void put(uint64_t number) {
    unsigned char room[kLongestVarint];
    const unsigned char* end = format::put_varint(room, number);
    bytes_.insert(bytes_.end(), static_cast<const unsigned char*>(room), end);
  }

  void write(seal::Compressor& compressor, std::string& to) const {
    seal::Bytes stored;
    compressor.append(bytes_, stored);
    for (const uint64_t length : {uint64_t{bytes_.size()}, uint64_t{stored.size()}}) {
      to.append(reinterpret_cast<const char*>(&length), sizeof length);
    }
    to.append(reinterpret_cast<const char*>(stored.data()), stored.size());
  }

 private:
  std::vector<unsigned char> bytes_;
};

class ColumnReader {
 public:
  // The next column of `from`; false when there is none of so many numbers.
  bool read(seal::Decompressor& decompressor, size_t numbers, std::string_view& from) {
    uint64_t lengths[2];
    if (from.size() < sizeof lengths) return false;
    std::memcpy(lengths, from.data(), sizeof lengths);
    from.remove_prefix(sizeof lengths);
    const auto [raw, stored] = lengths;
    if (stored > from.size() || raw < numbers || raw > numbers * kLongestVarint) return false;
    const auto* bytes = reinterpret_cast<const unsigned char*>(from.data());
    if (!decompressor.read({bytes, stored}, raw, 0, bytes_)) return false;
    from.remove_prefix(stored);
    at_ = bytes_.data();
    return true;
  }

  // After the first that is not there, 0.
  uint64_t get() {
    uint64_t number = 0;
    if (at_ != nullptr) at_ = format::get_varint(at_, bytes_.data() + bytes_.size(), number);
    return at_ != nullptr ? number : 0;
  }

  bool is_at_end() const { return at_ == bytes_.data() + bytes_.size(); }

 private:
  seal::Bytes bytes_;
  const unsigned char* at_ = nullptr;
};

// --- rows as numbers: the same for writing and reading ---

// What differs little from the row before. Places are in order, so that none goes back, but for
// accounts, which begin anew with every bucket.
template <typename Row>
void put_account(const Row& row, const Row* before, bool same_bucket, ColumnWriter& to) {
  to.put(same_bucket ? row.account - before->account : row.account);
}

template <typename Row>
bool get_account(uint64_t difference, const Row* before, bool same_bucket, uint32_t accounts,
                 Row& row) {
  const uint64_t account = difference + (same_bucket ? before->account : 0);
  row.account = static_cast<uint32_t>(account);
  return difference < accounts && account < accounts;
}

void put_row(const Stay& stay, const Stay* before, std::vector<ColumnWriter>& to) {
  const bool same = before != nullptr && before->birth == stay.birth;
  to[0].put(before != nullptr ? stay.birth - before->birth : stay.birth);
  to[1].put(stay.death);
  put_account(stay, before, same && before->death == stay.death, to[2]);
  to[3].put(stay.blocks);
  to[4].put(stay.bytes);
}

bool get_row(std::vector<ColumnReader>& from, const Stay* before, const Edges& edges,
             uint32_t accounts, Stay& stay) {
  const uint64_t birth = from[0].get() + (before != nullptr ? before->birth : 0);
  const uint64_t death = from[1].get();
  if (birth >= edges.count || death > UINT16_MAX) return false;
  stay.birth = static_cast<uint16_t>(birth);
  stay.death = static_cast<uint16_t>(death);
  const bool same = before != nullptr && before->birth == stay.birth && before->death == stay.death;
  stay.blocks = from[3].get();
  stay.bytes = from[4].get();
  return stay.last() < edges.count && stay.last() >= stay.birth &&
         get_account(from[2].get(), before, same, accounts, stay);
}

template <typename Row>
void put_place(const Row& row, const Row* before, std::vector<ColumnWriter>& to) {
  const bool same = before != nullptr && before->bucket == row.bucket;
  to[0].put(before != nullptr ? row.bucket - before->bucket : row.bucket);
  put_account(row, before, same, to[1]);
}

template <typename Row>
bool get_place(std::vector<ColumnReader>& from, const Row* before, const Edges& edges,
               uint32_t accounts, Row& row) {
  const uint64_t step = from[0].get();
  const uint64_t bucket = step + (before != nullptr ? before->bucket : 0);
  if (step >= edges.count || bucket >= edges.count) return false;
  row.bucket = static_cast<uint32_t>(bucket);
  const bool same = before != nullptr && before->bucket == row.bucket;
  return get_account(from[1].get(), before, same, accounts, row);
}

// Small numbers of either sign are small.
uint64_t fold(uint64_t difference) {
  return difference << 1 ^ (0 - (difference >> 63));
}
uint64_t unfold(uint64_t folded) {
  return folded >> 1 ^ (0 - (folded & 1));
}

// Blocks of one account are mostly of one size, and mostly end where they were born: kept is what
// is otherwise. What wraps around here wraps back when it is read.
void put_row(const Change& change, const Change* before, std::vector<ColumnWriter>& to) {
  put_place(change, before, to);
  to[2].put(change.calls);
  to[3].put(fold(uint64_t{change.ended_blocks} - change.calls));
  to[4].put(fold(uint64_t{change.ended_blocks} - change.frees));
  to[5].put(change.temporary_calls);
  to[6].put(change.smallest + 1);  // of none: 0
  to[7].put(change.largest - change.smallest);
  to[8].put(change.bytes - change.calls * change.smallest);
  to[9].put(fold(change.ended_bytes - change.bytes));
}

bool get_row(std::vector<ColumnReader>& from, const Change* before, const Edges& edges,
             uint32_t accounts, Change& change) {
  const uint64_t calls = from[2].get();
  const uint64_t ended = calls + unfold(from[3].get());
  const uint64_t frees = ended - unfold(from[4].get());
  const uint64_t temporary = from[5].get();
  change.calls = static_cast<uint32_t>(calls);
  change.ended_blocks = static_cast<uint32_t>(ended);
  change.frees = static_cast<uint32_t>(frees);
  change.temporary_calls = static_cast<uint32_t>(temporary);
  change.smallest = from[6].get() - 1;
  change.largest = from[7].get() + change.smallest;
  change.bytes = from[8].get() + calls * change.smallest;
  change.ended_bytes = unfold(from[9].get()) + change.bytes;
  const bool fit = std::max({calls, ended, frees, temporary}) <= UINT32_MAX;
  return get_place(from, before, edges, accounts, change) && fit;
}

// A column for each sum, whatever they are.
using RareColumns = std::array<uint64_t, sizeof(RareSums) / sizeof(uint64_t)>;

void put_rare(const RareSums& sums, size_t column, std::vector<ColumnWriter>& to) {
  for (const uint64_t sum : std::bit_cast<RareColumns>(sums)) to[column++].put(sum);
}

void get_rare(std::vector<ColumnReader>& from, size_t column, RareSums& sums) {
  RareColumns read{};
  for (uint64_t& sum : read) sum = from[column++].get();
  sums = std::bit_cast<RareSums>(read);
}

void put_row(const RareChange& change, const RareChange* before, std::vector<ColumnWriter>& to) {
  put_place(change, before, to);
  put_rare(change, 2, to);
}

bool get_row(std::vector<ColumnReader>& from, const RareChange* before, const Edges& edges,
             uint32_t accounts, RareChange& change) {
  get_rare(from, 2, change);
  return get_place(from, before, edges, accounts, change);
}

// --- lives ---

// How many there are of what a key names.
struct KeyBounds {
  Edges edges;
  uint32_t accounts = 0;
  uint32_t threads = 0;
};

constexpr size_t kKeyColumns = 6;

void put_key(const LifeKey& key, const LifeKey* before, std::vector<ColumnWriter>& to) {
  to[0].put(before != nullptr ? key.birth - before->birth : key.birth);
  to[1].put(static_cast<uint64_t>(key.last() - key.birth) << 1 | (key.is_left() ? 1 : 0));
  const bool same = before != nullptr && before->birth == key.birth && before->death == key.death;
  put_account(key, before, same, to[2]);
  to[3].put(key.thread);
  to[4].put(key.size_class);
  to[5].put(key.lifetime_class);
}

bool get_key(std::vector<ColumnReader>& from, const LifeKey* before, const KeyBounds& bounds,
             LifeKey& key) {
  const uint64_t step = from[0].get(), stay = from[1].get();
  if (step >= bounds.edges.count || stay >> 1 >= bounds.edges.count) return false;
  const uint64_t birth = step + (before != nullptr ? before->birth : 0);
  const uint64_t last = birth + (stay >> 1);
  if (last >= bounds.edges.count) return false;
  key.birth = static_cast<uint16_t>(birth);
  key.death = static_cast<uint16_t>(last | ((stay & 1) != 0 ? kLeftBit : 0));
  const bool same = before != nullptr && before->birth == key.birth && before->death == key.death;
  const uint64_t account = from[2].get(), thread = from[3].get();
  const uint64_t size = from[4].get(), lifetime = from[5].get();
  key.thread = static_cast<uint32_t>(thread);
  key.size_class = static_cast<uint8_t>(size);
  key.lifetime_class = static_cast<uint8_t>(lifetime);
  return thread < bounds.threads && size < kSizeClassCount &&
         (lifetime <= kLifetimeClassCount || lifetime == LifeKey::kAnyLifetime) &&
         get_account(account, before, same, bounds.accounts, key);
}

void put_row(const Life& life, const Life* before, std::vector<ColumnWriter>& to) {
  put_key(life, before, to);
  to[6].put(life.calls);
  to[7].put(fold(uint64_t{life.frees} - life.calls));
  to[8].put(life.temporary_calls);
  to[9].put(life.smallest);
  to[10].put(life.largest - life.smallest);
  to[11].put(life.bytes - life.calls * life.smallest);
}

bool get_row(std::vector<ColumnReader>& from, const Life* before, const KeyBounds& bounds, uint32_t,
             Life& life) {
  const uint64_t calls = from[6].get();
  const uint64_t frees = calls + unfold(from[7].get());
  const uint64_t temporary = from[8].get();
  life.calls = static_cast<uint32_t>(calls);
  life.frees = static_cast<uint32_t>(frees);
  life.temporary_calls = static_cast<uint32_t>(temporary);
  life.smallest = from[9].get();
  life.largest = from[10].get() + life.smallest;
  life.bytes = from[11].get() + calls * life.smallest;
  const bool fit = std::max({calls, frees, temporary}) <= UINT32_MAX;
  return get_key(from, before, bounds, life) && fit && life.lifetime_class != LifeKey::kAnyLifetime;
}

void put_row(const LifeResizes& row, const LifeResizes* before, std::vector<ColumnWriter>& to) {
  put_key(row, before, to);
  put_rare(row, kKeyColumns, to);
}

bool get_row(std::vector<ColumnReader>& from, const LifeResizes* before, const KeyBounds& bounds,
             uint32_t, LifeResizes& row) {
  get_rare(from, kKeyColumns, row);
  return get_key(from, before, bounds, row);
}

void put_row(const LifeSpread& row, const LifeSpread* before, std::vector<ColumnWriter>& to) {
  put_key(row, before, to);
  to[6].put(std::bit_cast<uint64_t>(row.calls_variance));
  to[7].put(std::bit_cast<uint64_t>(row.bytes_variance));
  to[8].put(row.time_ns);
}

bool get_row(std::vector<ColumnReader>& from, const LifeSpread* before, const KeyBounds& bounds,
             uint32_t, LifeSpread& row) {
  row.calls_variance = std::bit_cast<double>(from[6].get());
  row.bytes_variance = std::bit_cast<double>(from[7].get());
  row.time_ns = from[8].get();
  return get_key(from, before, bounds, row) && row.calls_variance >= 0 && row.bytes_variance >= 0;
}

template <typename Row>
constexpr size_t kColumns = kKeyColumns + 3;
template <>
constexpr size_t kColumns<Life> = kKeyColumns + 6;
template <>
constexpr size_t kColumns<LifeResizes> = kKeyColumns + std::tuple_size_v<RareColumns>;
template <>
constexpr size_t kColumns<Stay> = 5;
template <>
constexpr size_t kColumns<Change> = 10;
template <>
constexpr size_t kColumns<RareChange> = 2 + std::tuple_size_v<RareColumns>;

void put_number(uint64_t number, std::string& to) {
  to.append(reinterpret_cast<const char*>(&number), sizeof number);
}

bool get_number(std::string_view& from, uint64_t& number) {
  if (from.size() < sizeof number) return false;
  std::memcpy(&number, from.data(), sizeof number);
  from.remove_prefix(sizeof number);
  return true;
}

template <typename Row, typename Use>
void for_each_row(const std::vector<Row>& rows, const Use& use) {
  for (const Row& row : rows) use(row);
}
template <typename Row, typename Use>
void for_each_row(const PackedRows<Row>& rows, const Use& use) {
  rows.for_each(use);
}

template <template <typename...> typename Rows, typename Row>
void write_rows(const Rows<Row>& rows, seal::Compressor& compressor, std::string& to) {
  put_number(rows.size(), to);
  std::vector<ColumnWriter> columns(kColumns<Row>);
  std::optional<Row> before;
  for_each_row(rows, [&](const Row& row) {
    put_row(row, before ? &*before : nullptr, columns);
    before = row;
  });
  for (const ColumnWriter& column : columns) column.write(compressor, to);
}

template <typename Row>
void keep_row(const Row& row, std::vector<Row>& rows) {
  rows.push_back(row);
}
template <typename Row>
void keep_row(const Row& row, PackedRows<Row>& rows) {
  rows.add(row);
}

template <template <typename...> typename Rows, typename Row, typename Bounds>
bool read_rows(std::string_view& from, seal::Decompressor& decompressor, const Bounds& bounds,
               uint32_t accounts, size_t most, Rows<Row>& rows) {
  uint64_t count = 0;
  if (!get_number(from, count) || count > most) return false;
  std::vector<ColumnReader> columns(kColumns<Row>);
  for (ColumnReader& column : columns) {
    if (!column.read(decompressor, count, from)) return false;
  }
  if constexpr (requires { rows.reserve(count); }) rows.reserve(count);
  Row before{};
  for (uint64_t i = 0; i < count; ++i) {
    Row row{};
    if (!get_row(columns, i == 0 ? nullptr : &before, bounds, accounts, row)) return false;
    if (i > 0 && row.place() < before.place()) return false;
    keep_row(row, rows);
    before = row;
  }
  if constexpr (requires { rows.finish(); }) rows.finish();
  return std::all_of(columns.begin(), columns.end(),
                     [](const ColumnReader& column) { return column.is_at_end(); });
}

void write_lives(const Lives& lives, seal::Compressor& compressor, std::string& to) {
  put_number(lives.edges.width_ns, to);
  put_number(lives.edges.count, to);
  put_number(lives.threads.size(), to);
  for (const auto& [ledger, place] : lives.threads) put_number(uint64_t{ledger} << 32 | place, to);
  write_rows(lives.lives, compressor, to);
  write_rows(lives.resizes, compressor, to);
  write_rows(lives.spreads, compressor, to);
}

bool get_edges(std::string_view& from, Edges& edges) {
  uint64_t width = 0, count = 0;
  if (!get_number(from, width) || !get_number(from, count)) return false;
  if (count > kMostEdges || width > UINT64_MAX / (count + 1)) return false;
  edges = {width, static_cast<uint32_t>(count)};
  return true;
}

bool read_lives(std::string_view& from, seal::Decompressor& decompressor, uint32_t accounts,
                size_t most, Lives& lives) {
  uint64_t threads = 0;
  if (!get_edges(from, lives.edges) || !get_number(from, threads)) return false;
  if (threads > from.size() / sizeof threads) return false;
  for (uint64_t i = 0; i < threads; ++i) {
    uint64_t thread = 0;
    get_number(from, thread);
    lives.threads.emplace_back(static_cast<uint32_t>(thread >> 32), static_cast<uint32_t>(thread));
  }
  const KeyBounds bounds{lives.edges, accounts, static_cast<uint32_t>(threads)};
  return read_rows(from, decompressor, bounds, accounts, most, lives.lives) &&
         read_rows(from, decompressor, bounds, accounts, most, lives.resizes) &&
         read_rows(from, decompressor, bounds, accounts, most, lives.spreads);
}

// Two of a row become one, as often as it takes.
bool can_become(Edges from, const Edges& to) {
  while (from.width_ns > 0 && from.width_ns < to.width_ns && from.width_ns <= UINT64_MAX / 2) {
    from.width_ns *= 2;
    from.count = (from.count + 1) / 2;
  }
  return from == to;
}

}  // namespace

std::string pack_cube(const Cube& cube) {
  std::string to;
  seal::Compressor compressor(kCubeLevel);
  put_number(cube.edges.width_ns, to);
  put_number(cube.edges.count, to);
  put_number(cube.change_edges.width_ns, to);
  put_number(cube.change_edges.count, to);
  put_number(cube.has_counted_lives ? 1 : 0, to);
  write_rows(cube.stays, compressor, to);
  write_rows(cube.changes, compressor, to);
  write_rows(cube.rare_changes, compressor, to);
  write_rows(cube.spreads, compressor, to);
  write_lives(cube.lives, compressor, to);
  write_lives(cube.all_lives, compressor, to);
  return to;
}

std::optional<Cube> unpack_cube(std::string_view bytes, uint32_t accounts, size_t most_rows) {
  Cube cube;
  if (!get_edges(bytes, cube.edges) || cube.edges.width_ns == 0 || cube.edges.count == 0) {
    return std::nullopt;
  }
  if (!get_edges(bytes, cube.change_edges)) return std::nullopt;
  const bool has_changes = cube.change_edges != Edges{};
  if (has_changes && !can_become(cube.edges, cube.change_edges) &&
      !can_become(cube.change_edges, cube.edges)) {
    return std::nullopt;
  }
  uint64_t has_counted_lives = 0;
  if (!get_number(bytes, has_counted_lives) || has_counted_lives > 1) return std::nullopt;
  cube.has_counted_lives = has_counted_lives == 1;
  const size_t most_stays = most_rows * (has_changes ? 1 : kStaysInPlaceOfChanges);
  seal::Decompressor decompressor;
  const KeyBounds of_accounts{cube.edges, accounts, 1};
  const bool good =
      read_rows(bytes, decompressor, cube.edges, accounts, most_stays, cube.stays) &&
      read_rows(bytes, decompressor, cube.change_edges, accounts, most_rows, cube.changes) &&
      read_rows(bytes, decompressor, cube.change_edges, accounts, most_rows, cube.rare_changes) &&
      read_rows(bytes, decompressor, of_accounts, accounts, most_rows, cube.spreads) &&
      read_lives(bytes, decompressor, accounts, most_rows, cube.lives) &&
      read_lives(bytes, decompressor, 1, most_rows, cube.all_lives);
  return good && bytes.empty() ? std::optional(std::move(cube)) : std::nullopt;
}

}  // namespace heapledger
