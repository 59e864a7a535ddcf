#include "text/xml.h"

#include <fmt/format.h>

#include "text/text.h"
#include "text/utf8.h"

namespace heapledger {
namespace {

bool is_forbidden(uint32_t point) {
  return point == 0xfffe || point == 0xffff || (point < 0x20 && point != '\n' && point != '\t');
}

}  // namespace

std::string xml_escaped(std::string_view text) {
  std::string safe;
  for (const Utf8Piece& piece : Utf8Pieces(text)) {
    if (!piece.valid) {
      safe += fmt::format("\\x{:02x}", static_cast<unsigned char>(piece.bytes.front()));
    } else if (is_forbidden(piece.point)) {
      safe += fmt::format("\\u{:04x}", piece.point);
    } else if (piece.point == '&') {
      safe += "&amp;";
    } else if (piece.point == '<') {
      safe += "&lt;";
    } else if (piece.point == '>') {
      safe += "&gt;";
    } else if (piece.point == '"') {
      safe += "&quot;";
    } else {
      safe += piece.bytes;
    }
  }
  return safe;
}

std::string xml_text(std::string_view text) {
  return xml_escaped(printable(text));
}

}  // namespace heapledger
