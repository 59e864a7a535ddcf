#include "analyzer/seal/sealed_writer.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "analyzer/seal/pieces.h"
#include "format/checksum.h"

namespace heapledger::seal {
namespace {

using format::PieceKind;
using format::SealedFilling;

template <typename T>
void append_part(Bytes& to, const T& object) {
  const auto* from = reinterpret_cast<const unsigned char*>(&object);
  to.insert(to.end(), from, from + sizeof object);
}

}  // namespace

SealedWriter::SealedWriter(ByteSink& sink, const format::FileHeader& ledger, uint64_t raw_bytes)
    : sink_(sink) {
  format::SealedHeader header{};
  std::memcpy(header.magic, format::kSealedMagic, sizeof header.magic);
  header.version = format::kSealedVersion;
  header.header_bytes = sizeof header;
  header.raw_bytes = raw_bytes;
  header.ledger = ledger;
  header.checksum = format::checksum(&header, offsetof(format::SealedHeader, checksum));
  sink_.append(&header, sizeof header);
  size_ = sizeof header;
}

uint64_t append_piece(ByteSink& sink, PieceKind kind, const Bytes& content) {
  format::PieceHeader header{};
  header.magic = format::kPieceMagic;
  header.kind = static_cast<uint32_t>(kind);
  header.bytes = content.size();
  header.checksum = format::checksum(content.data(), content.size());
  header.header_checksum = header_checksum(header);
  sink.append(&header, sizeof header);
  sink.append(content.data(), content.size());
  return sizeof header + content.size();
}

uint64_t SealedWriter::append(PieceKind kind, const Bytes& content) {
  const uint64_t offset = size_;
  size_ += append_piece(sink_, kind, content);
  return offset;
}

void SealedWriter::add_segment(std::span<const Filling> fillings, const Bytes& content) {
  std::lock_guard lock(mutex_);
  Segment segment{{}, {}};
  segment.row.offset = append(PieceKind::kSegment, content);
  segment.row.bytes = content.size();
  segment.row.fillings = static_cast<uint32_t>(fillings.size());
  for (const Filling& filling : fillings) segment.fillings.push_back(filling.facts);
  segments_.push_back(std::move(segment));
}

void SealedWriter::add_piece(PieceKind kind, const Bytes& content, uint64_t time) {
  std::lock_guard lock(mutex_);
  uint64_t offset = append(kind, content);
  pieces_.push_back({static_cast<uint32_t>(kind), 0, offset, time});
}

bool SealedWriter::in_order() {
  std::lock_guard lock(mutex_);
  sort_segments();
  uint32_t window = 0;
  uint64_t reached = 0;
  for (const Segment& segment : segments_) {
    for (const SealedFilling& filling : segment.fillings) {
      if (filling.window != window) reached = 0;
      window = filling.window;
      if (filling.base_time < reached || filling.last_time < filling.base_time) return false;
      reached = filling.last_time;
    }
  }
  return true;
}

// Threads finish segments in any order; the index has them in the order of windows.
void SealedWriter::sort_segments() {
  auto place = [](const Segment& segment) {
    return std::tuple(segment.fillings.front().window, segment.fillings.front().seq);
  };
  std::sort(segments_.begin(), segments_.end(),
            [&](const Segment& a, const Segment& b) { return place(a) < place(b); });
}

uint64_t SealedWriter::finish(const ExtentCounts& counts, uint64_t missed) {
  std::lock_guard lock(mutex_);
  sort_segments();
  format::IndexLead lead{};
  lead.windows = counts.windows;
  lead.chunks = counts.chunks;
  lead.holes = counts.holes;
  lead.missed = missed;
  lead.segments = static_cast<uint32_t>(segments_.size());
  lead.pieces = static_cast<uint32_t>(pieces_.size());
  Bytes index;
  append_part(index, lead);
  for (const Segment& segment : segments_) {
    append_part(index, segment.row);
    for (const SealedFilling& filling : segment.fillings) append_part(index, filling);
  }
  for (const format::PieceRow& row : pieces_) append_part(index, row);

  format::SealedFooter footer{};
  std::memcpy(footer.magic, format::kSealedEndMagic, sizeof footer.magic);
  footer.index_offset = append(PieceKind::kIndex, index);
  size_ += sizeof footer;
  footer.file_bytes = size_;
  footer.checksum = format::checksum(&footer, offsetof(format::SealedFooter, checksum));
  sink_.append(&footer, sizeof footer);
  return size_;
}

}  // namespace heapledger::seal
