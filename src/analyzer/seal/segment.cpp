#include "analyzer/seal/segment.h"

#include <cstring>

#include "format/checksum.h"

namespace heapledger::seal {
namespace {

using format::ColumnSize;
using format::SealedFilling;
using format::SegmentLead;

template <typename T>
void append_head(Bytes& to, const T& object) {
  const auto* from = reinterpret_cast<const unsigned char*>(&object);
  to.insert(to.end(), from, from + sizeof object);
}

bool lead_is_sane(const SegmentLead& lead) {
  return lead.fillings > 0 && lead.fillings <= format::kMaxSegmentFillings &&
         lead.columns == kColumns && lead.notes_bytes <= format::kMaxSegmentRawBytes;
}

size_t columns_begin(const SegmentLead& lead) {
  return sizeof lead + lead.fillings * sizeof(SealedFilling) + lead.columns * sizeof(ColumnSize);
}

}  // namespace

size_t notes_end(std::span<const unsigned char> content) {
  SegmentLead lead;
  if (content.size() < sizeof lead) return 0;
  std::memcpy(&lead, content.data(), sizeof lead);
  return lead_is_sane(lead) ? columns_begin(lead) + lead.notes_bytes : 0;
}

// --- encoding ---

Bytes SegmentEncoder::encode(std::vector<Filling>& fillings) {
  writer_.clear();
  for (Filling& filling : fillings) {
    SealedFilling& facts = filling.facts;
    facts.bytes = static_cast<uint32_t>(filling.payload.size());
    facts.checksum = format::checksum(filling.payload.data(), filling.payload.size());
    facts.last_time = facts.base_time + writer_.add(filling.payload);
  }
  Bytes content = compress(fillings);
  std::vector<Filling> again;
  bool same = decoder_.decode(content, false, again);
  for (size_t i = 0; same && i < fillings.size(); ++i) {
    same = fillings[i].payload == again[i].payload;
  }
  if (same) return content;
  writer_.clear();
  for (const Filling& filling : fillings) writer_.add_plain(filling.payload);
  return compress(fillings);
}

Bytes SegmentEncoder::compress(const std::vector<Filling>& fillings) {
  SegmentLead lead{};
  lead.fillings = static_cast<uint32_t>(fillings.size());
  lead.columns = kColumns;
  Bytes packed;
  std::array<ColumnSize, kColumns> sizes;
  for (unsigned i = 0; i < kColumns; ++i) {
    const std::span<const unsigned char> column = writer_.column(i);
    sizes[i].raw = static_cast<uint32_t>(column.size());
    sizes[i].stored = static_cast<uint32_t>(compressor_.append(column, packed));
    if (i + 1 == kNoteColumns) lead.notes_bytes = static_cast<uint32_t>(packed.size());
  }
  Bytes content;
  content.reserve(columns_begin(lead) + packed.size());
  append_head(content, lead);
  for (const Filling& filling : fillings) append_head(content, filling.facts);
  for (const ColumnSize& size : sizes) append_head(content, size);
  content.insert(content.end(), packed.begin(), packed.end());
  return content;
}

// --- decoding ---

bool SegmentDecoder::take_apart(std::span<const unsigned char> content, Parts& parts) {
  SegmentLead lead;
  if (content.size() < sizeof lead) return false;
  std::memcpy(&lead, content.data(), sizeof lead);
  if (!lead_is_sane(lead) || content.size() < columns_begin(lead)) return false;
  const unsigned char* at = content.data() + sizeof lead;
  parts.fillings.resize(lead.fillings);
  std::memcpy(parts.fillings.data(), at, lead.fillings * sizeof(SealedFilling));
  at += lead.fillings * sizeof(SealedFilling);
  parts.sizes.resize(lead.columns);
  std::memcpy(parts.sizes.data(), at, lead.columns * sizeof(ColumnSize));
  parts.columns_at = columns_begin(lead);
  uint64_t raw = 0;
  for (const ColumnSize& size : parts.sizes) raw += size.raw;
  if (raw > format::kMaxSegmentRawBytes) return false;
  for (const SealedFilling& filling : parts.fillings) {
    if (filling.bytes > format::kPayloadBytes) return false;
  }
  return true;
}

bool SegmentDecoder::expand(std::span<const unsigned char> content, const Parts& parts,
                            unsigned count) {
  size_t at = parts.columns_at;
  for (unsigned i = 0; i < count; ++i) {
    const ColumnSize& size = parts.sizes[i];
    if (size.stored > content.size() - at ||
        !decompressor_.read(content.subspan(at, size.stored), size.raw, kColumnPadding,
                            columns_[i])) {
      return false;
    }
    at += size.stored;
  }
  return true;
}

bool SegmentDecoder::decode(std::span<const unsigned char> content, bool check_sums,
                            std::vector<Filling>& fillings) {
  Parts parts;
  if (!take_apart(content, parts) || !expand(content, parts, kColumns)) return false;
  ColumnReader reader(columns_);
  fillings.resize(parts.fillings.size());
  for (size_t i = 0; i < fillings.size(); ++i) {
    const SealedFilling& facts = fillings[i].facts = parts.fillings[i];
    Bytes& payload = fillings[i].payload;
    if (!reader.next(facts.bytes, payload)) return false;
    if (check_sums && format::checksum(payload.data(), payload.size()) != facts.checksum) {
      return false;
    }
  }
  return reader.within();
}

bool SegmentDecoder::decode_notes(
    std::span<const unsigned char> content,
    const std::function<void(const SealedFilling&, const NoteParts&)>& use) {
  Parts parts;
  if (!take_apart(content, parts) || !expand(content, parts, kNoteColumns)) return false;
  NoteReader reader(columns_);
  for (const SealedFilling& filling : parts.fillings) {
    uint64_t notes;
    if (!reader.begin_filling(notes)) return false;
    for (uint64_t i = 0; i < notes; ++i) {
      NoteParts note;
      if (!reader.next(note)) return false;
      use(filling, note);
    }
  }
  return reader.within();
}

}  // namespace heapledger::seal
