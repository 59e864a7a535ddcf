#include "cores/block_header_layout.h"

#include <algorithm>

namespace heapledger::cores {
namespace {

constexpr uint8_t kVersion = 1;
constexpr size_t kVersionAt = 4;
constexpr size_t kCheckAt = 8;
constexpr size_t kCheckedFrom = 12;
constexpr size_t kTagBytes = 32;

// The numbers of one structure, which begins at `at`.
class Fields {
 public:
  Fields(const DumpBytes& dump, size_t at, bool big_endian)
      : bytes_(dump.bytes), at_(at), big_endian_(big_endian) {}

  bool has(size_t bytes) const { return bytes_.size() - at_ >= bytes; }
  uint8_t byte(size_t offset) const { return bytes_[at_ + offset]; }
  uint32_t number(size_t offset) const {
    return Memory::decode<uint32_t>(&bytes_[at_ + offset], big_endian_);
  }
  uint64_t word(size_t offset) const {
    if (byte(kVersionAt + 1) == 4) return number(offset);
    return Memory::decode<uint64_t>(&bytes_[at_ + offset], big_endian_);
  }
  // Two halves, the low one first in either byte order.
  uint64_t halves(size_t offset) const {
    return number(offset) | static_cast<uint64_t>(number(offset + 4)) << 32;
  }
  // The check value goes on over the numbers in a range of bytes, from `before` the structure.
  uint32_t mixed(uint32_t sum, size_t before, size_t from, size_t to) const {
    for (size_t place = at_ - before + from; place < at_ - before + to; place += 4) {
      sum = (sum ^ Memory::decode<uint32_t>(&bytes_[place], big_endian_)) * 0x9E3779B1u;
      sum ^= sum >> 15;
    }
    return sum;
  }

 private:
  std::span<const unsigned char> bytes_;
  size_t at_;
  bool big_endian_;
};

bool can_be_ours(const Fields& fields) {
  return fields.has(kCheckedFrom) && fields.byte(kVersionAt) == kVersion &&
         (fields.byte(kVersionAt + 1) == 4 || fields.byte(kVersionAt + 1) == 8);
}

// Whether the allocation is in the address space, and has room for its header.
bool is_possible(const BlockHeader& header, size_t header_bytes) {
  uint64_t last = header.word_bytes == 4 ? UINT32_MAX : UINT64_MAX;
  return header.lead >= header_bytes + size_t{header.frame_count} * header.word_bytes &&
         header.self % header.word_bytes == 0 && header.self >= header.lead &&
         header.bytes <= last - header.self;
}

}  // namespace

std::optional<Magic> magic_at(const DumpBytes& dump, size_t at) {
  for (bool big_endian : {false, true}) {
    auto number = Memory::decode<uint32_t>(&dump.bytes[at], big_endian);
    if (number == kBlockMagic || number == kImageMagic) {
      return Magic{number == kImageMagic, big_endian};
    }
  }
  return std::nullopt;
}

Decoded decode_header(const DumpBytes& dump, size_t at, bool big_endian, BlockHeader& header) {
  Fields fields(dump, at, big_endian);
  if (!can_be_ours(fields)) return Decoded::kNothing;
  size_t word = fields.byte(kVersionAt + 1);
  size_t header_bytes = 32 + 2 * word;
  size_t frame_bytes = fields.byte(kVersionAt + 2) * word;
  if (!fields.has(header_bytes) || at < frame_bytes) return Decoded::kDamaged;
  uint32_t check = fields.mixed(kBlockMagic, frame_bytes, 0, frame_bytes);
  check = fields.mixed(check, 0, kVersionAt, kCheckAt);
  check = fields.mixed(check, 0, kCheckedFrom, header_bytes);
  if (check != fields.number(kCheckAt)) return Decoded::kDamaged;

  header.big_endian = big_endian;
  header.word_bytes = static_cast<uint8_t>(word);
  header.frame_count = fields.byte(kVersionAt + 2);
  header.flags = fields.byte(kVersionAt + 3);
  header.place = dump.address + at + header_bytes;
  header.lead = fields.number(12);
  header.self = fields.word(16);
  header.bytes = fields.word(16 + word);
  header.time = fields.halves(16 + 2 * word);
  header.thread = fields.number(24 + 2 * word);
  header.serial = fields.number(28 + 2 * word);
  return is_possible(header, header_bytes) ? Decoded::kComplete : Decoded::kDamaged;
}

Decoded decode_image(const DumpBytes& dump, size_t at, bool big_endian, ProgramImage& image) {
  Fields fields(dump, at, big_endian);
  if (!can_be_ours(fields)) return Decoded::kNothing;
  size_t word = fields.byte(kVersionAt + 1);
  size_t image_bytes = 80 + 9 * word;
  size_t tag_at = 40 + 2 * word;
  if (!fields.has(image_bytes) || fields.number(12) != image_bytes) return Decoded::kDamaged;
  uint32_t check = fields.mixed(kImageMagic, 0, kVersionAt, kCheckAt);
  check = fields.mixed(check, 0, kCheckedFrom, tag_at + kTagBytes);
  if (check != fields.number(kCheckAt)) return Decoded::kDamaged;

  image.big_endian = big_endian;
  image.word_bytes = static_cast<uint8_t>(word);
  image.flags = fields.byte(kVersionAt + 3);
  image.place = dump.address + at;
  image.machine = fields.number(16);
  image.ticks_per_second = fields.halves(24);
  image.start_ticks = fields.halves(32);
  image.self = fields.word(40);
  image.anchor = fields.word(40 + word);
  auto tag = dump.bytes.subspan(at + tag_at, kTagBytes);
  image.tag.assign(tag.begin(), std::find(tag.begin(), tag.end(), 0));
  image.now_ticks = fields.halves(tag_at + kTagBytes);
  image.live_blocks = fields.word(tag_at + kTagBytes + 8);
  image.live_bytes = fields.word(tag_at + kTagBytes + 8 + word);
  return Decoded::kComplete;
}

}  // namespace heapledger::cores
