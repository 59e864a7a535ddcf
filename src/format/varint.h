// Integers of 1 to 9 bytes whose first byte tells the length: the number of trailing zero bits of
// the first byte plus one is the length, the value sits above that marker. Encoding and decoding
// have no loop and, below 2^56, no branch. A first byte of zero announces 8 raw bytes.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace heapledger::format {

inline constexpr unsigned kMaxVarintBytes = 9;

// How many bytes follow the first one of a value, by the number of its bits: as many as make
// 7 bits a byte. A look at a table is quicker than any arithmetic.
struct VarintLengths {
  unsigned char extra[57] = {};

  constexpr VarintLengths() {
    for (unsigned bits = 1; bits <= 56; ++bits) {
      extra[bits] = static_cast<unsigned char>((bits - 1) / 7);
    }
  }
};
inline constexpr VarintLengths kVarintLengths;

inline constexpr bool is_usual_varint(uint64_t value) {
  return __builtin_expect(value >> 56 == 0, 1);
}

// Writes `value`, which is_usual_varint, at `to` and returns the end of what was written. 8 bytes
// from `to` are stored to; those past the returned end are zero.
inline unsigned char* put_usual_varint(unsigned char* to, uint64_t value) {
  uint64_t word = 2 * value + 1;  // the value above the marker, of a value of one byte
  auto bits = static_cast<unsigned>(63 ^ __builtin_clzll(word));  // of the value
  uint64_t extra = kVarintLengths.extra[bits];
  word <<= extra;
  std::memcpy(to, &word, 8);
  return to + extra + 1;
}

// The same for any value; 9 bytes of those of 2^56 and more.
inline unsigned char* put_varint(unsigned char* to, uint64_t value) {
  if (is_usual_varint(value)) return put_usual_varint(to, value);
  *to = 0;
  std::memcpy(to + 1, &value, 8);
  return to + 9;
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

// Writes a folded distance, which is put_varint(to, fold_pointer(…)) in fewer steps for nearly all.
inline unsigned char* put_folded(unsigned char* to, uint64_t distance) {
  if (__builtin_expect((distance & 15) != 0, 0)) return put_varint(to, fold_pointer(distance, 0));
  auto same = static_cast<int64_t>(distance);
  return put_varint(to, static_cast<uint64_t>((same >> 3) ^ (same >> 63)));
}

inline uint64_t unfold_pointer(uint64_t folded, uint64_t previous) {
  uint64_t zigzag = folded & 0x0FFF'FFFF'FFFF'FFFFull;
  uint64_t units = (zigzag >> 1) ^ (0 - (zigzag & 1));
  return previous + (units << 4) + (folded >> 60);
}

}  // namespace heapledger::format
