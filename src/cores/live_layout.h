// The structures of format/live_tables.h as they are in somebody else's memory, of either byte
// order. All their fields have fixed sizes, so the offsets are this machine's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cores/memory.h"
#include "format/live_tables.h"

namespace heapledger::cores {

// Bytes that were copied from there, with numbers taken out of them. What is beyond the end reads
// as zero.
class ForeignBytes {
 public:
  ForeignBytes(std::span<const unsigned char> bytes, bool big_endian)
      : bytes_(bytes), big_endian_(big_endian) {}

  template <typename Number>
  Number number(size_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(Number)) return 0;
    return Memory::decode<Number>(bytes_.data() + offset, big_endian_);
  }
  uint32_t word32(size_t offset) const { return number<uint32_t>(offset); }
  uint64_t word64(size_t offset) const { return number<uint64_t>(offset); }

  std::span<const unsigned char> part(size_t offset, size_t count) const {
    if (offset > bytes_.size()) return {};
    return bytes_.subspan(offset, std::min(count, bytes_.size() - offset));
  }
  size_t size() const { return bytes_.size(); }

 private:
  std::span<const unsigned char> bytes_;
  bool big_endian_;
};

inline format::LiveTable decode_table(const ForeignBytes& header, uint32_t index) {
  size_t at = offsetof(format::LiveHeader, tables) + index * sizeof(format::LiveTable);
  return {header.word32(at + offsetof(format::LiveTable, kind)),
          header.word32(at + offsetof(format::LiveTable, item_bytes)),
          header.word32(at + offsetof(format::LiveTable, part_items)),
          header.word32(at + offsetof(format::LiveTable, parts)),
          header.word64(at + offsetof(format::LiveTable, places)),
          header.word64(at + offsetof(format::LiveTable, used))};
}

inline format::ClockPair decode_clock(const ForeignBytes& header, size_t offset) {
  return {header.word64(offset), header.word64(offset + 8), header.word64(offset + 16)};
}

}  // namespace heapledger::cores
