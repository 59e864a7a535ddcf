// Integers of 1 to 9 bytes whose first byte tells the length: the number of trailing zero bits of
// the first byte plus one is the length, the value sits above that marker. Encoding and decoding
// have no loop and, below 2^56, no branch. A first byte of zero announces 8 raw bytes.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace heapledger::format {

inline constexpr unsigned kMaxVarintBytes = 9;

// Writes `value` at `to` and returns the end of what was written. Up to 8 bytes from `to` (9 for
// values of 2^56 and more) are stored to; those past the returned end are zero.
inline unsigned char* put_large_varint(unsigned char* to, uint64_t value) {
  if (value >> 56 != 0) {
    *to = 0;
    std::memcpy(to + 1, &value, 8);
    return to + 9;
  }
  unsigned bits = static_cast<unsigned>(63 - __builtin_clzll(value | 1));
  unsigned extra = (bits * 37) >> 8;  // bits / 7 for 0..55
  uint64_t word = (value << (extra + 1)) | (uint64_t{1} << extra);
  std::memcpy(to, &word, 8);
  return to + extra + 1;
}

// The same; quick for values below 2^28, which nearly all are. The length comes from comparisons:
// counting leading zeros is slow where the fast instruction for it cannot be taken for granted.
inline unsigned char* put_varint(unsigned char* to, uint64_t value) {
  if (__builtin_expect(value >= uint64_t{1} << 28, 0)) return put_large_varint(to, value);
  auto small = static_cast<uint32_t>(value);
  unsigned extra = (small > 0x7Fu) + (small > 0x3FFFu) + (small > 0x1F'FFFFu);
  uint32_t word = (small << (extra + 1)) | (1u << extra);
  std::memcpy(to, &word, 4);
  return to + extra + 1;
}

// Reads a value from [from, end) into `value`; returns the byte after it, or nullptr when the
// bytes end too early.
inline const unsigned char* get_varint(const unsigned char* from, const unsigned char* end,
                                       uint64_t& value) {
  if (from >= end) return nullptr;
  if (*from == 0) {
    if (end - from < 9) return nullptr;
    std::memcpy(&value, from + 1, 8);
    return from + 9;
  }
  unsigned length = static_cast<unsigned>(std::countr_zero(*from)) + 1;
  if (end - from >= 8) {
    uint64_t word;
    std::memcpy(&word, from, 8);
    value = length == 8 ? word >> 8 : (word & ((uint64_t{1} << (8 * length)) - 1)) >> length;
    return from + length;
  }
  if (static_cast<unsigned>(end - from) < length) return nullptr;
  uint64_t word = 0;
  std::memcpy(&word, from, length);
  value = word >> length;
  return from + length;
}

// A pointer as its distance from the previous one. Blocks are nearly always 16-byte aligned, so
// the distance is kept in units of 16 and the odd low bits, mostly zero, go to the top.
inline uint64_t fold_pointer(uint64_t pointer, uint64_t previous) {
  uint64_t distance = pointer - previous;
  uint64_t units = static_cast<uint64_t>(static_cast<int64_t>(distance) >> 4);
  uint64_t zigzag = (units << 1) ^ static_cast<uint64_t>(static_cast<int64_t>(units) >> 63);
  return zigzag | (distance & 15) << 60;  // zigzag is below 2^60
}

inline uint64_t unfold_pointer(uint64_t folded, uint64_t previous) {
  uint64_t zigzag = folded & 0x0FFF'FFFF'FFFF'FFFFull;
  uint64_t units = (zigzag >> 1) ^ (0 - (zigzag & 1));
  return previous + (units << 4) + (folded >> 60);
}

}  // namespace heapledger::format
