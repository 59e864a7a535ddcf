// Whether a return address is one: on x86-64, whether a call instruction stands right before it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heapledger::runtime::arch {

// The bytes of a function up to the address in question; all of [begin, end) may be read.
inline bool ends_with_call(const unsigned char* begin, const unsigned char* end) {
  auto bytes = static_cast<size_t>(end - begin);
  if (bytes >= 5 && end[-5] == 0xE8) return true;  // call to a distance
  // Through a register or memory: FF, a byte with 2 in its middle bits, the operand's address.
  auto through = [&](size_t length) {
    if (bytes < length || end[-static_cast<ptrdiff_t>(length)] != 0xFF) return false;
    unsigned operand = end[1 - static_cast<ptrdiff_t>(length)];
    if ((operand >> 3 & 7) != 2) return false;
    unsigned mode = operand >> 6;
    unsigned base = operand & 7;
    size_t needed = 2;
    if (mode != 3 && base == 4) ++needed;  // an index
    if (mode == 1) needed += 1;
    if (mode == 2 || (mode == 0 && base == 5)) needed += 4;
    return needed == length;
  };
  return through(2) || through(3) || through(4) || through(6) || through(7);
}

}  // namespace heapledger::runtime::arch
