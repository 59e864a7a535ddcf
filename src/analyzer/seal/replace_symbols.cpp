// Symbols that come after the sealing: everything up to the index is copied, then come the new
// symbols, the index with a row more, and a footer.
#include <algorithm>
#include <cstring>

#include "analyzer/error.h"
#include "analyzer/seal/pieces.h"
#include "analyzer/seal/replacing.h"
#include "analyzer/seal/seal_file.h"
#include "format/checksum.h"

namespace heapledger::seal {
namespace {

using format::IndexLead;
using format::PieceHeader;
using format::PieceKind;
using format::PieceRow;
using format::SealedFooter;

[[noreturn]] void refuse(const std::string& path) {
  throw Error(path + ": its index is damaged, so that nothing can be added to it",
              ErrorKind::kData);
}

SealedFooter read_footer(ByteSource& source) {
  const uint64_t size = source.size();
  SealedFooter footer;
  if (size < sizeof footer ||
      source.read(size - sizeof footer, &footer, sizeof footer) != sizeof footer ||
      footer.file_bytes != size || footer.index_offset > size ||
      format::checksum(&footer, offsetof(SealedFooter, checksum)) != footer.checksum) {
    refuse(source.name());
  }
  return footer;
}

Bytes read_index(ByteSource& source, uint64_t offset) {
  PieceHeader header;
  if (source.read(offset, &header, sizeof header) != sizeof header ||
      header_checksum(header) != header.header_checksum || header.bytes > source.size() - offset ||
      header.bytes < sizeof(IndexLead)) {
    refuse(source.name());
  }
  Bytes index(header.bytes);
  if (source.read(offset + sizeof header, index.data(), index.size()) != index.size() ||
      format::checksum(index.data(), index.size()) != header.checksum) {
    refuse(source.name());
  }
  return index;
}

void copy(ByteSource& source, uint64_t bytes, ByteSink& sink) {
  Bytes buffer(1 << 20);
  for (uint64_t at = 0; at < bytes;) {
    auto count = static_cast<size_t>(std::min<uint64_t>(buffer.size(), bytes - at));
    if (source.read(at, buffer.data(), count) != count) refuse(source.name());
    sink.append(buffer.data(), count);
    at += count;
  }
}

// The new row comes last, and the last of a kind counts.
void add_row(Bytes& index, const PieceRow& row) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(&row);
  index.insert(index.end(), bytes, bytes + sizeof row);
  IndexLead lead;
  std::memcpy(&lead, index.data(), sizeof lead);
  ++lead.pieces;
  std::memcpy(index.data(), &lead, sizeof lead);
}

}  // namespace

void replace_symbols(const std::string& path, const std::string& symbols) {
  const std::string place = real_path(path);
  auto source = open_file(place);
  SealedFooter footer = read_footer(*source);
  Bytes index = read_index(*source, footer.index_offset);

  ReplacementFile file(place, file_status(place));
  copy(*source, footer.index_offset, file);
  add_row(index, {static_cast<uint32_t>(PieceKind::kSymbols), 0, footer.index_offset, 0});
  Compressor compressor(kDefaultLevel);
  footer.index_offset += append_piece(file, PieceKind::kSymbols, pack_text(symbols, compressor));
  footer.file_bytes =
      footer.index_offset + append_piece(file, PieceKind::kIndex, index) + sizeof footer;
  footer.checksum = format::checksum(&footer, offsetof(SealedFooter, checksum));
  file.append(&footer, sizeof footer);
  put_in_place(file, footer.file_bytes, path, true);
}

}  // namespace heapledger::seal
