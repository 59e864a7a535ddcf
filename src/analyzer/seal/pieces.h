// Small helpers that writing and reading the pieces of a sealed ledger share: the checksum of a
// piece's header, and texts (symbols, problems) packed with zstd so that they cannot be bombs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analyzer/seal/columns.h"
#include "analyzer/seal/zstd_codec.h"
#include "format/sealed.h"

namespace heapledger::seal {

uint64_t header_checksum(const format::PieceHeader& header);

Bytes pack_text(std::string_view text, Compressor& compressor);

// Nothing when the bytes make no sense. Takes at most 64 times as much memory as they do.
std::optional<std::string> unpack_text(std::span<const unsigned char> bytes);

}  // namespace heapledger::seal
