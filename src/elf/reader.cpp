#include "elf/reader.h"

#include <algorithm>
#include <cstring>

namespace heapledger::elf {
namespace {

constexpr unsigned char kElfMagic[4] = {0x7F, 'E', 'L', 'F'};
constexpr uint64_t kCountIsElsewhere = 0xFFFF;  // PN_XNUM: more segments than fit the field
constexpr size_t kSegmentsAtOnce = 256;
constexpr uint64_t kMostSegmentBytes = 1024;  // of one description; hostile when more
constexpr uint64_t kMostModuleNotes = 64 * 1024;
constexpr uint32_t kMostBuildId = 64;
constexpr uint32_t kLongestName = 32;

ElfSegment segment_from(const ElfFields& fields, bool wide) {
  ElfSegment segment;
  segment.type = fields.whole(0);
  segment.flags = fields.whole(wide ? 4 : 24);
  segment.offset = fields.word(wide ? 8 : 4);
  segment.address = fields.word(wide ? 16 : 8);
  segment.file_bytes = fields.word(wide ? 32 : 16);
  segment.memory_bytes = fields.word(wide ? 40 : 20);
  segment.alignment = fields.word(wide ? 48 : 28);
  return segment;
}

// More than 65,534 segments: the first section's description, itself unused, has the count.
uint64_t count_in_section(const ElfFields& header, const Shape& shape, const ReadAt& read) {
  bool wide = shape.word_bytes == 8;
  unsigned char bytes[64];
  uint64_t offset = header.word(wide ? 40 : 32);
  size_t wanted = wide ? 64 : 40;
  if (offset == 0 || read(offset, std::span(bytes).first(wanted)) != wanted) {
    return kCountIsElsewhere;
  }
  return ElfFields(std::span(bytes).first(wanted), shape).whole(wide ? 44 : 28);
}

// Rounded up; UINT64_MAX when that is no number any more.
uint64_t aligned(uint64_t offset, uint64_t alignment) {
  uint64_t rest = offset % alignment;
  if (rest == 0) return offset;
  return offset > UINT64_MAX - alignment ? UINT64_MAX : offset + (alignment - rest);
}

}  // namespace

uint64_t ElfFields::number(size_t at, size_t size) const {
  if (at > bytes_.size() || size > bytes_.size() - at) return 0;
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) {
    value = value << 8 | bytes_[at + (shape_.big_endian ? i : size - 1 - i)];
  }
  return value;
}

std::optional<ElfHeader> read_elf_header(const ReadAt& read) {
  unsigned char bytes[64] = {};
  size_t got = read(0, bytes);
  if (got < 52 || std::memcmp(bytes, kElfMagic, sizeof(kElfMagic)) != 0) return std::nullopt;
  bool wide = bytes[4] == 2;
  if ((bytes[4] != 1 && !wide) || (bytes[5] != 1 && bytes[5] != 2) || (wide && got < 64)) {
    return std::nullopt;
  }
  ElfHeader header;
  header.shape.word_bytes = wide ? 8 : 4;
  header.shape.big_endian = bytes[5] == 2;
  ElfFields fields(bytes, header.shape);
  header.type = fields.half(16);
  header.shape.machine = fields.half(18);
  header.entry = fields.word(24);
  header.segments_at = fields.word(wide ? 32 : 28);
  header.segment_bytes = fields.half(wide ? 54 : 42);
  header.segment_count = fields.half(wide ? 56 : 44);
  if (header.segment_count == kCountIsElsewhere) {
    header.segment_count = count_in_section(fields, header.shape, read);
  }
  return header;
}

std::vector<ElfSegment> read_elf_segments(const ElfHeader& header, const ReadAt& read,
                                          size_t most) {
  std::vector<ElfSegment> segments;
  bool wide = header.shape.word_bytes == 8;
  uint64_t size = header.segment_bytes;
  if (size < (wide ? 56U : 32U) || size > kMostSegmentBytes) return segments;
  uint64_t count = std::min<uint64_t>(header.segment_count, most);
  std::vector<unsigned char> bytes(static_cast<size_t>(size) * kSegmentsAtOnce);
  for (uint64_t done = 0; done < count;) {
    uint64_t offset = header.segments_at + done * size;
    if (offset < header.segments_at) break;
    auto wanted = static_cast<size_t>(std::min<uint64_t>(kSegmentsAtOnce, count - done) * size);
    size_t got = read(offset, std::span(bytes).first(wanted));
    for (size_t at = 0; at + size <= got; at += static_cast<size_t>(size)) {
      auto one = std::span<const unsigned char>(bytes).subspan(at, static_cast<size_t>(size));
      segments.push_back(segment_from(ElfFields(one, header.shape), wide));
    }
    if (got < wanted) break;
    done += kSegmentsAtOnce;
  }
  return segments;
}

void for_each_note(const ReadAt& read, const Shape& shape, uint64_t start, uint64_t bytes,
                   uint64_t alignment, const std::function<void(const ElfNote&)>& callback) {
  if (alignment != 8) alignment = 4;
  if (bytes > UINT64_MAX - start) bytes = UINT64_MAX - start;
  uint64_t at = 0;
  while (at < bytes && bytes - at >= 12) {
    unsigned char head[12];
    if (read(start + at, head) != sizeof(head)) return;
    ElfFields fields(head, shape);
    uint32_t name_bytes = fields.whole(0);
    ElfNote note;
    note.bytes = fields.whole(4);
    note.type = fields.whole(8);
    uint64_t contents = aligned(at + 12 + name_bytes, alignment);
    if (contents > bytes || note.bytes > bytes - contents) return;
    char name[kLongestName] = {};
    size_t shown = std::min<size_t>(name_bytes, sizeof(name) - 1);
    if (read(start + at + 12, std::span(reinterpret_cast<unsigned char*>(name), shown)) != shown) {
      return;
    }
    note.name = name;
    note.at = start + contents;
    callback(note);
    at = aligned(contents + note.bytes, alignment);
  }
}

std::string build_id_in_notes(const ReadAt& read, const Shape& shape, uint64_t start,
                              uint64_t bytes, uint64_t alignment) {
  constexpr uint32_t kBuildId = 3;
  std::string found;
  bytes = std::min(bytes, kMostModuleNotes);
  for_each_note(read, shape, start, bytes, alignment, [&](const ElfNote& note) {
    if (!found.empty() || note.name != "GNU" || note.type != kBuildId) return;
    if (note.bytes == 0 || note.bytes > kMostBuildId) return;
    unsigned char id[kMostBuildId];
    if (read(note.at, std::span(id).first(note.bytes)) != note.bytes) return;
    found.assign(reinterpret_cast<const char*>(id), note.bytes);
  });
  return found;
}

}  // namespace heapledger::elf
