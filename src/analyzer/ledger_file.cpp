#include "analyzer/ledger_file.h"

#include <algorithm>
#include <cstring>

#include "analyzer/counts.h"
#include "analyzer/error.h"
#include "analyzer/first_entries.h"
#include "analyzer/seal/sealed_file.h"
#include "format/checksum.h"
#include "format/entry_decoder.h"

namespace heapledger {
namespace {

constexpr uint32_t kMaxHeaderBytes = 1 << 20;  // pages of any machine are smaller
constexpr uint32_t kMaxTimeShift = 32;

std::string cut_window(uint32_t window) {
  return "window " + std::to_string(window) + " is damaged; what follows the damage is left out";
}

}  // namespace

LedgerFile::LedgerFile(std::unique_ptr<ByteSource> source, bool check_sums)
    : source_(std::move(source)), check_sums_(check_sums), scratch_(format::kExtentBytes) {
  size_t got = source_->read(0, &first_bytes_, sizeof first_bytes_);
  if (got == 0) refuse("is empty, so it is not a ledger");
  const auto* first = reinterpret_cast<const unsigned char*>(&first_bytes_);
  bool is_sealed = seal::SealedFile::is_sealed({first, got});
  if (!is_sealed &&
      (got < sizeof first_bytes_.magic ||
       std::memcmp(first_bytes_.magic, format::kFileMagic, sizeof first_bytes_.magic) != 0)) {
    refuse("is not a ledger (it does not begin with HPLEDGER or HPSEALED)");
  }
  if (!is_sealed && got < sizeof first_bytes_) {
    refuse("the ledger is cut short: it ends inside its header");
  }
  is_sealed ? open_sealed() : open_raw();
  if (!clock_.calibrated()) find_clock_pair();
}

LedgerFile::~LedgerFile() = default;

void LedgerFile::refuse(const std::string& why) const {
  throw Error(name() + ": " + why, ErrorKind::kData);
}

void LedgerFile::open_raw() {
  header_ = first_bytes_;
  check_header();
  opened_size_ = source_->size();
  clock_ = LedgerClock(header_);
  index_.build(*source_, header_.header_bytes, check_sums_, problems_);
  // Whoever came to its end has written at least who it was.
  if (index_.extents() == 0 && header_.exit_ticks != 0 && header_.stop_reason == 0) {
    problems_.add("the file is cut short: nothing is left behind its header");
  }
}

void LedgerFile::open_sealed() {
  opened_size_ = source_->size();
  sealed_ = std::make_unique<seal::SealedFile>(*source_, check_sums_, problems_);
  header_ = sealed_->ledger_header();
  check_header();
  clock_ = LedgerClock(header_);
  sealed_->build_index(index_, problems_);
}

void LedgerFile::check_header() const {
  if (header_.version > format::kVersion) {
    refuse("has format version " + std::to_string(header_.version) + "; this heapledger reads " +
           std::to_string(format::kVersion) + " at the most. A newer heapledger will open it");
  }
  if (header_.version == 0 || header_.extent_bytes != format::kExtentBytes ||
      header_.header_bytes < format::kMinHeaderBytes || header_.header_bytes > kMaxHeaderBytes ||
      header_.time_shift > kMaxTimeShift) {
    refuse("the ledger's header is damaged");
  }
}

// A program killed in its first moments has no second clock pair in the header, but perhaps one
// among its entries.
void LedgerFile::find_clock_pair() {
  for_first_entries(*this, [this](const format::Entry& entry) {
    if (entry.kind != format::Kind::kMemory) return;
    format::FieldReader fields(entry.fields);
    uint64_t rss, peak, ticks, ns;
    if (fields.number(rss) && fields.number(peak) && fields.number(ticks) && fields.number(ns)) {
      clock_.learn(ticks, ns);
    }
  });
}

bool LedgerFile::load_quietly(WindowExtents places, Payload& payload) {
  Problems aside = problems_;
  bool good = load(places, payload);
  problems_ = std::move(aside);
  return good;
}

uint64_t LedgerFile::safe_time() const {
  return clock_.units_of_ticks(std::max(header_.latest[0].ticks, header_.latest[1].ticks));
}

bool LedgerFile::has_changed() {
  format::FileHeader now;
  return source_->size() > opened_size_ || (source_->read(0, &now, sizeof now) == sizeof now &&
                                            std::memcmp(&now, &first_bytes_, sizeof now) != 0);
}

void LedgerFile::tell_if_cut() {
  if (told_of_cut_ || !has_shrunk()) return;
  told_of_cut_ = true;
  problems_.add("the file was cut from " + std::to_string(opened_size_) + " to " +
                std::to_string(source_->size()) +
                " bytes while it was read; find out what shortens it, then read it again");
}

uint64_t LedgerFile::offset_of(uint64_t extent) const {
  return header_.header_bytes + extent * format::kExtentBytes;
}

bool LedgerFile::load(WindowExtents places, Payload& payload) {
  for (const ExtentRef& place : places) {
    bool good = sealed_             ? load_sealed(place, payload)
                : place.is_window() ? load_window(place, payload)
                                    : load_chunk(place.extent(), place.window, place.seq, payload);
    if (good) return true;
  }
  if (places.empty()) return false;
  problems_.add("chunk " + std::to_string(places[0].seq) + " of window " +
                std::to_string(places[0].window) + " is damaged or cut short; it is left out");
  return false;
}

bool LedgerFile::load_chunk(uint64_t extent, uint32_t window, uint64_t seq, Payload& payload) {
  size_t got = source_->read(offset_of(extent), scratch_.data(), scratch_.size());
  format::ExtentHeader header;
  if (got < sizeof header) return false;
  std::memcpy(&header, scratch_.data(), sizeof header);
  if (header.magic != format::kChunkMagic || header.window != window || header.seq != seq ||
      header.bytes > got - sizeof header) {
    return false;
  }
  const unsigned char* bytes = scratch_.data() + sizeof header;
  if (check_sums_ &&
      (!header_is_sound(header) || format::checksum(bytes, header.bytes) != header.checksum)) {
    return false;
  }
  payload.bytes.assign(bytes, bytes + header.bytes);
  payload.cut = false;
  payload.base_time = header.base_time;
  payload.thread = header.thread;
  return true;
}

// The program may be running, and this window may be emptied under our eyes. Its content is then
// in a chunk at the new end of the file.
bool LedgerFile::load_window(const ExtentRef& place, Payload& payload) {
  const uint64_t offset = offset_of(place.extent());
  size_t got = source_->read(offset, scratch_.data(), scratch_.size());
  format::ExtentHeader before;
  format::ExtentHeader after;
  if (got < sizeof before) return false;
  std::memcpy(&before, scratch_.data(), sizeof before);
  const unsigned char* bytes = scratch_.data() + sizeof before;
  format::EntryDecoder decoder(bytes, scratch_.data() + got, before.base_time);
  for (format::Entry entry; decoder.next(entry);) continue;
  Payload content;
  content.bytes.assign(bytes, decoder.position());
  content.base_time = before.base_time;
  content.thread = before.thread;

  const uint64_t last_extent = std::max<uint64_t>(index_.extents(), 1) - 1;
  if (find_chunk(last_extent, place.window, place.seq, payload)) return true;
  bool unchanged = source_->read(offset, &after, sizeof after) == sizeof after &&
                   before.magic == format::kWindowMagic && before.window == place.window &&
                   before.seq == place.seq && after.seq == place.seq;
  if (!unchanged) return find_chunk(0, place.window, place.seq, payload);
  content.cut = decoder.damaged();
  if (content.cut) problems_.add(cut_window(place.window));
  payload = std::move(content);
  return true;
}

bool LedgerFile::find_chunk(uint64_t from, uint32_t window, uint64_t seq, Payload& payload) {
  const uint64_t size = source_->size();
  for (uint64_t extent = from; offset_of(extent) < size; ++extent) {
    format::ExtentHeader header;
    if (source_->read(offset_of(extent), &header, sizeof header) != sizeof header) break;
    if (header.magic == format::kChunkMagic && header.window == window && header.seq == seq &&
        load_chunk(extent, window, seq, payload)) {
      return true;
    }
  }
  return false;
}

std::vector<format::CountTable> LedgerFile::count_tables() {
  if (sealed_) return unpack_tables(sealed_->piece(format::PieceKind::kCounts).value_or(""));
  std::vector<format::CountTable> tables;
  for (uint64_t extent : index_.count_extents()) {
    size_t got = source_->read(offset_of(extent), scratch_.data(), scratch_.size());
    for (size_t i = 0; i < format::kTablesPerExtent; ++i) {
      const size_t at = sizeof(format::ExtentHeader) + i * format::kTableStride;
      format::CountTable table;
      if (got < at + sizeof table) break;
      std::memcpy(&table, scratch_.data() + at, sizeof table);
      if (table.threads != 0) tables.push_back(table);
    }
  }
  return tables;
}

format::UnrecordedTable LedgerFile::unrecorded() {
  format::UnrecordedTable table{};
  if (sealed_) {
    const std::string stored = sealed_->piece(format::PieceKind::kUnrecorded).value_or("");
    if (stored.size() == sizeof table) std::memcpy(&table, stored.data(), sizeof table);
  } else if (source_->read(format::kUnrecordedOffset, &table, sizeof table) != sizeof table) {
    table = {};
  }
  return table;
}

// --- sealed ledgers ---

bool LedgerFile::load_sealed(const ExtentRef& place, Payload& payload) {
  using Loaded = seal::SealedFile::Loaded;
  Loaded how = sealed_->load(place.extent(), payload.bytes, payload.base_time, payload.thread);
  payload.cut = how == Loaded::kCut;
  if (payload.cut) problems_.add(cut_window(place.window));
  return how != Loaded::kNot;
}

std::optional<std::string> LedgerFile::stored_symbols() {
  return sealed_ ? sealed_->piece(format::PieceKind::kSymbols) : std::nullopt;
}

std::optional<seal::Checkpoint> LedgerFile::checkpoint_before(uint64_t time) {
  return sealed_ ? sealed_->checkpoint_before(time) : std::nullopt;
}

size_t LedgerFile::checkpoints() const {
  return sealed_ ? sealed_->checkpoints() : 0;
}

uint64_t LedgerFile::last_time() const {
  return sealed_ ? sealed_->last_time() : 0;
}

bool LedgerFile::for_each_note(uint64_t time, const UseNote& use) {
  return sealed_ != nullptr && sealed_->for_each_note(time, use);
}

}  // namespace heapledger
