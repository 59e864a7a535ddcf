#include "text/utf8.h"

namespace heapledger {

Utf8Piece first_utf8(std::string_view text) {
  auto byte = [text](size_t i) { return static_cast<unsigned char>(text[i]); };
  const Utf8Piece bad{text.substr(0, 1), 0, false};
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {text.substr(0, 1), lead, true};

  size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return bad;
  uint32_t point = lead & (0xffu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return bad;
    point = point << 6 | (byte(i) & 0x3fu);
  }
  bool too_long = (length == 3 && point < 0x800) || (length == 4 && point < 0x10000);
  bool surrogate = point >= 0xd800 && point < 0xe000;
  if (too_long || surrogate || point > 0x10ffff) return bad;
  return {text.substr(0, length), point, true};
}

}  // namespace heapledger
