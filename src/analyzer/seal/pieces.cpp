#include "analyzer/seal/pieces.h"

#include <cstring>

#include "format/checksum.h"

namespace heapledger::seal {
namespace {

constexpr uint64_t kMaxRatio = 64;

}  // namespace

uint64_t header_checksum(const format::PieceHeader& header) {
  return format::checksum(&header, offsetof(format::PieceHeader, header_checksum));
}

// The length as 64 bits, then the text, compressed if what is stored is shorter than it.
Bytes pack_text(std::string_view text, Compressor& compressor) {
  const uint64_t length = text.size();
  const auto* from = reinterpret_cast<const unsigned char*>(text.data());
  Bytes bytes(sizeof length);
  std::memcpy(bytes.data(), &length, sizeof length);
  size_t stored = compressor.append({from, text.size()}, bytes);
  if (stored < length && length / kMaxRatio >= stored) {
    bytes.resize(sizeof length);
    bytes.insert(bytes.end(), from, from + length);
  }
  return bytes;
}

std::optional<std::string> unpack_text(std::span<const unsigned char> bytes) {
  uint64_t length;
  if (bytes.size() < sizeof length) return std::nullopt;
  std::memcpy(&length, bytes.data(), sizeof length);
  bytes = bytes.subspan(sizeof length);
  if (length < bytes.size() || length / kMaxRatio > bytes.size()) return std::nullopt;
  Decompressor decompressor;
  Bytes text;
  if (!decompressor.read(bytes, length, 0, text)) return std::nullopt;
  return std::string(text.begin(), text.end());
}

}  // namespace heapledger::seal
