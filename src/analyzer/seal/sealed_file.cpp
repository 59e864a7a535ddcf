#include "analyzer/seal/sealed_file.h"

#include <algorithm>
#include <cstring>

#include "analyzer/error.h"
#include "analyzer/seal/pieces.h"
#include "format/checksum.h"

namespace heapledger::seal {
namespace {

using format::PieceHeader;
using format::PieceKind;
using format::PieceRow;
using format::SealedFilling;
using format::SealedFooter;
using format::SealedHeader;
using format::SegmentRow;

constexpr uint64_t kKeptBytes = uint64_t{64} << 20;
constexpr uint64_t kMaxIndexBytes = uint64_t{256} << 20;
constexpr uint64_t kMaxSegmentBytes = 2 * uint64_t{format::kMaxSegmentRawBytes};
constexpr uint64_t kMaxPieceBytes = uint64_t{1} << 30;

// Takes objects off the front of an index.
class Taker {
 public:
  explicit Taker(std::span<const unsigned char> from) : left_(from) {}

  template <typename T>
  bool take(T& object) {
    if (left_.size() < sizeof object) return false;
    std::memcpy(&object, left_.data(), sizeof object);
    left_ = left_.subspan(sizeof object);
    return true;
  }

 private:
  std::span<const unsigned char> left_;
};

}  // namespace

bool SealedFile::is_sealed(std::span<const unsigned char> first_bytes) {
  return first_bytes.size() >= sizeof format::kSealedMagic &&
         std::memcmp(first_bytes.data(), format::kSealedMagic, sizeof format::kSealedMagic) == 0;
}

SealedFile::SealedFile(ByteSource& source, bool check_sums, Problems& problems)
    : source_(source), check_sums_(check_sums), size_(source.size()), ahead_(check_sums) {
  auto refuse = [&](const std::string& why) {
    throw Error(source.name() + ": " + why, ErrorKind::kData);
  };
  if (source.read(0, &header_, sizeof header_) != sizeof header_) {
    refuse("the sealed ledger is cut short: it ends inside its header");
  }
  if (header_.version > format::kSealedVersion) {
    refuse("is sealed in version " + std::to_string(header_.version) + "; this heapledger reads " +
           std::to_string(format::kSealedVersion) +
           " at the most. A newer heapledger will open it");
  }
  if (check_sums &&
      format::checksum(&header_, offsetof(SealedHeader, checksum)) != header_.checksum) {
    problems.add("the header of the sealed ledger is damaged; what it says may be wrong");
  }
  if (!read_index()) {
    segments_.clear();
    places_.clear();
    rows_.clear();
    scan();
    problems.add(
        "the sealed ledger is cut short or its index is damaged; what was found in the file is "
        "read");
  }
  checkpoints_ = static_cast<size_t>(std::count_if(rows_.begin(), rows_.end(), [](PieceRow row) {
    return row.kind == static_cast<uint32_t>(PieceKind::kCheckpoint);
  }));
}

// --- pieces ---

bool SealedFile::read_header_of(uint64_t offset, PieceHeader& header) {
  if (offset > size_ || size_ - offset < sizeof header ||
      source_.read(offset, &header, sizeof header) != sizeof header) {
    return false;
  }
  return header.magic == format::kPieceMagic && header.bytes <= size_ - offset - sizeof header &&
         (!check_sums_ || header_checksum(header) == header.header_checksum);
}

bool SealedFile::read_piece(uint64_t offset, PieceKind kind, uint64_t limit, Bytes& content) {
  PieceHeader header;
  if (!read_header_of(offset, header) || header.kind != static_cast<uint32_t>(kind) ||
      header.bytes > limit) {
    return false;
  }
  content.resize(header.bytes);
  return source_.read(offset + sizeof header, content.data(), content.size()) == content.size() &&
         (!check_sums_ || format::checksum(content.data(), content.size()) == header.checksum);
}

std::optional<std::string> SealedFile::piece(PieceKind kind) {
  for (auto row = rows_.rbegin(); row != rows_.rend(); ++row) {
    if (row->kind != static_cast<uint32_t>(kind)) continue;
    Bytes stored;
    if (!read_piece(row->offset, kind, kMaxPieceBytes, stored)) continue;
    if (std::optional<std::string> text = unpack_text(stored)) return text;
  }
  return std::nullopt;
}

std::optional<Checkpoint> SealedFile::checkpoint_before(uint64_t time) {
  std::vector<PieceRow> fitting;
  for (const PieceRow& row : rows_) {
    if (row.kind == static_cast<uint32_t>(PieceKind::kCheckpoint) && row.time <= time) {
      fitting.push_back(row);
    }
  }
  std::sort(fitting.begin(), fitting.end(),
            [](const PieceRow& a, const PieceRow& b) { return a.time > b.time; });
  for (const PieceRow& row : fitting) {
    Bytes stored;
    if (!read_piece(row.offset, PieceKind::kCheckpoint, kMaxPieceBytes, stored)) continue;
    std::optional<Checkpoint> checkpoint = decode_checkpoint(stored);
    if (checkpoint && checkpoint->time <= time) return checkpoint;
  }
  return std::nullopt;
}

// --- the index ---

bool SealedFile::read_index() {
  SealedFooter footer;
  if (size_ < sizeof header_ + sizeof footer ||
      source_.read(size_ - sizeof footer, &footer, sizeof footer) != sizeof footer ||
      std::memcmp(footer.magic, format::kSealedEndMagic, sizeof footer.magic) != 0) {
    return false;
  }
  if (check_sums_ &&
      (footer.file_bytes != size_ ||
       format::checksum(&footer, offsetof(SealedFooter, checksum)) != footer.checksum)) {
    return false;
  }
  Bytes content;
  return read_piece(footer.index_offset, PieceKind::kIndex, kMaxIndexBytes, content) &&
         take_index(content);
}

bool SealedFile::take_index(std::span<const unsigned char> content) {
  Taker taker(content);
  if (!taker.take(counts_)) return false;
  for (uint32_t i = 0; i < counts_.segments; ++i) {
    SegmentRow row;
    if (!taker.take(row) || row.fillings > format::kMaxSegmentFillings) return false;
    auto first = static_cast<uint32_t>(places_.size());
    for (uint32_t k = 0; k < row.fillings; ++k) {
      Place place{{}, i};
      if (!taker.take(place.facts)) return false;
      places_.push_back(place);
    }
    segments_.push_back({row.offset, row.bytes, first, row.fillings});
  }
  for (uint32_t i = 0; i < counts_.pieces; ++i) {
    PieceRow row;
    if (!taker.take(row)) return false;
    rows_.push_back(row);
  }
  return true;
}

// Without its index a sealed ledger still has all its pieces, each of which says what it is.
void SealedFile::scan() {
  scanned_ = true;
  counts_ = {};
  uint64_t at = std::clamp<uint64_t>(header_.header_bytes, sizeof header_, size_);
  while (at < size_) {
    PieceHeader header;
    if (!read_header_of(at, header)) {
      at = find_piece(at + 1);
      continue;
    }
    add_scanned(at, header);
    at += sizeof header + header.bytes;
  }
}

// The next place that looks like the beginning of a piece.
uint64_t SealedFile::find_piece(uint64_t from) {
  constexpr size_t kStep = 4096;
  std::vector<unsigned char> buffer(kStep + sizeof format::kPieceMagic);
  unsigned char magic[sizeof format::kPieceMagic];
  std::memcpy(magic, &format::kPieceMagic, sizeof magic);
  while (from < size_) {
    from = std::max(from, source_.next_data(from));
    if (from >= size_) break;
    size_t got = source_.read(from, buffer.data(), buffer.size());
    auto end = buffer.begin() + static_cast<ptrdiff_t>(got);
    auto found = std::search(buffer.begin(), end, std::begin(magic), std::end(magic));
    if (found != end) return from + static_cast<uint64_t>(found - buffer.begin());
    if (got < buffer.size()) break;
    from += kStep;
  }
  return size_;
}

void SealedFile::add_scanned(uint64_t offset, const PieceHeader& header) {
  if (header.kind != static_cast<uint32_t>(PieceKind::kSegment)) {
    PieceRow row{header.kind, 0, offset, 0};
    if (header.kind == static_cast<uint32_t>(PieceKind::kCheckpoint)) {
      if (source_.read(offset + sizeof header, &row.time, sizeof row.time) != sizeof row.time) {
        return;
      }
    }
    if (header.kind != static_cast<uint32_t>(PieceKind::kIndex)) rows_.push_back(row);
    return;
  }
  format::SegmentLead lead{};
  uint64_t at = offset + sizeof header;
  if (header.bytes < sizeof lead || source_.read(at, &lead, sizeof lead) != sizeof lead ||
      lead.fillings > format::kMaxSegmentFillings ||
      lead.fillings * sizeof(SealedFilling) > header.bytes - sizeof lead) {
    return;
  }
  SealedFilling fillings[format::kMaxSegmentFillings];
  size_t bytes = lead.fillings * sizeof(SealedFilling);
  if (source_.read(at + sizeof lead, fillings, bytes) != bytes) return;
  auto number = static_cast<uint32_t>(segments_.size());
  segments_.push_back({offset, header.bytes, static_cast<uint32_t>(places_.size()), lead.fillings});
  for (uint32_t i = 0; i < lead.fillings; ++i) places_.push_back({fillings[i], number});
  counts_.chunks += lead.fillings;
}

void SealedFile::build_index(ExtentIndex& index, Problems& problems) {
  std::vector<ExtentRef> refs;
  refs.reserve(places_.size());
  for (size_t i = 0; i < places_.size(); ++i) {
    const SealedFilling& facts = places_[i].facts;
    refs.push_back({facts.seq, facts.base_time, facts.window, static_cast<uint32_t>(i * 2)});
  }
  ExtentCounts counts{counts_.windows, counts_.chunks, counts_.holes};
  if (std::optional<std::string> lines = piece(PieceKind::kProblems)) {
    for (size_t from = 0; from < lines->size();) {
      size_t to = std::min(lines->find('\n', from), lines->size());
      problems.add(lines->substr(from, to - from));
      from = to + 1;
    }
  }
  Problems unasked;
  index.adopt(std::move(refs), counts, counts_.missed, scanned_ ? problems : unasked);
}

// --- fillings ---

SealedFile::Loaded SealedFile::load(uint64_t number, std::vector<unsigned char>& payload,
                                    uint64_t& base_time, uint32_t& thread) {
  if (number >= places_.size()) return Loaded::kNot;
  const Place& place = places_[number];
  if ((place.facts.flags & format::kFillingLost) != 0) return Loaded::kNot;
  const Kept* kept = decoded(place.segment);
  if (kept == nullptr) return Loaded::kNot;
  const uint64_t within = number - segments_[place.segment].first;
  if (within >= kept->fillings.size()) return Loaded::kNot;
  const Filling& filling = kept->fillings[within];
  if (filling.facts.window != place.facts.window || filling.facts.seq != place.facts.seq) {
    return Loaded::kNot;
  }
  payload = filling.payload;
  base_time = filling.facts.base_time;
  thread = filling.facts.thread;
  bool cut = (filling.facts.flags & format::kFillingCut) != 0;
  if (within + 1 == kept->fillings.size()) let_go(place.segment);  // streams only go on
  return cut ? Loaded::kCut : Loaded::kWell;
}

const SealedFile::Kept* SealedFile::decoded(uint32_t segment) {
  for (Kept& kept : kept_) {
    if (kept.segment != segment) continue;
    kept.used = ++uses_;
    return &kept;
  }
  Kept fresh{segment, ++uses_, 0, {}};
  if (!decode(segment, fresh.fillings)) return nullptr;
  for (const Filling& filling : fresh.fillings) fresh.bytes += filling.payload.size();
  while (!kept_.empty() && kept_bytes_ + fresh.bytes > kKeptBytes) {
    auto oldest = std::min_element(kept_.begin(), kept_.end(),
                                   [](const Kept& a, const Kept& b) { return a.used < b.used; });
    let_go(oldest->segment);
  }
  kept_bytes_ += fresh.bytes;
  kept_.push_back(std::move(fresh));
  return &kept_.back();
}

bool SealedFile::decode(uint32_t segment, std::vector<Filling>& fillings) {
  std::optional<SegmentsAhead::Decoded> there = ahead_.take(segment);
  look_ahead(segment);
  if (there) {
    fillings = std::move(there->fillings);
    return there->well;
  }
  return read_piece(segments_[segment].offset, PieceKind::kSegment, kMaxSegmentBytes, buffer_) &&
         decoder_.decode(buffer_, check_sums_, fillings);
}

// Whoever has read two segments of a window in turn goes on with the next one.
void SealedFile::look_ahead(uint32_t segment) {
  const uint32_t window = places_[segments_[segment].first].facts.window;
  const auto [last, is_first] = last_of_window_.try_emplace(window, segment);
  const bool in_turn = !is_first && last->second + 1 == segment;
  last->second = segment;
  const uint32_t next = segment + 1;
  if (!in_turn || next >= segments_.size() || segments_[next].fillings == 0 ||
      segments_[next].bytes < SegmentsAhead::kLeastBytes ||
      places_[segments_[next].first].facts.window != window || !ahead_.has_room() ||
      ahead_.has_begun(next)) {
    return;
  }
  Bytes content;
  if (read_piece(segments_[next].offset, PieceKind::kSegment, kMaxSegmentBytes, content)) {
    ahead_.begin(next, std::move(content));
  }
}

void SealedFile::let_go(uint32_t segment) {
  auto found = std::find_if(kept_.begin(), kept_.end(),
                            [segment](const Kept& k) { return k.segment == segment; });
  if (found == kept_.end()) return;
  kept_bytes_ -= found->bytes;
  if (found != kept_.end() - 1) *found = std::move(kept_.back());
  kept_.pop_back();
}

uint64_t SealedFile::last_time() const {
  uint64_t last = 0;
  for (const Place& place : places_) {
    bool has_entries = place.facts.bytes > 0 && (place.facts.flags & format::kFillingLost) == 0;
    if (has_entries) last = std::max(last, place.facts.last_time);
  }
  return last;
}

bool SealedFile::for_each_note(uint64_t time, const UseNote& use) {
  bool all = true;
  auto pass_on = [&](const SealedFilling& filling, const NoteParts& note) {
    if (filling.base_time > time || filling.base_time + note.time > time) return;
    format::Entry entry;
    entry.kind = static_cast<format::Kind>(note.kind);
    entry.time = entry.end_time = filling.base_time + note.time;
    entry.fields = note.fields;
    use(filling.window, filling.thread, entry);
  };
  for (const Segment& segment : segments_) {
    if (segment.fillings == 0 || places_[segment.first].facts.base_time > time) continue;
    // The notes stand at the beginning, and most segments have few.
    constexpr size_t kFirstRead = 2048;
    buffer_.resize(std::min<uint64_t>(kFirstRead, segment.bytes));
    const uint64_t at = segment.offset + sizeof(PieceHeader);
    buffer_.resize(source_.read(at, buffer_.data(), buffer_.size()));
    size_t wanted = notes_end(buffer_);
    if (wanted > segment.bytes) wanted = 0;
    if (size_t have = buffer_.size(); wanted > have) {
      buffer_.resize(wanted);
      buffer_.resize(have + source_.read(at + have, buffer_.data() + have, wanted - have));
    }
    if (wanted == 0 || !decoder_.decode_notes(buffer_, pass_on)) all = false;
  }
  return all;
}

}  // namespace heapledger::seal
