// A segment: consecutive fillings of one window, as columns, compressed. What was put in comes out
// byte for byte: the encoder decodes every segment before it lets go of it, and stores payloads as
// they are where columns would not give them back. Decoding is bounded whatever the bytes say.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "analyzer/seal/column_reader.h"
#include "analyzer/seal/column_writer.h"
#include "analyzer/seal/columns.h"
#include "analyzer/seal/zstd_codec.h"
#include "format/sealed.h"

namespace heapledger::seal {

struct Filling {
  format::SealedFilling facts{};
  Bytes payload;
};

class SegmentDecoder {
 public:
  // False when `content` is not a segment, or not as it was written.
  bool decode(std::span<const unsigned char> content, bool check_sums,
              std::vector<Filling>& fillings);

  // The notes alone, from the beginning of a segment: its first notes_end() bytes are enough.
  // `use` is called with the filling's facts and the note's parts.
  bool decode_notes(std::span<const unsigned char> content,
                    const std::function<void(const format::SealedFilling&, const NoteParts&)>& use);

 private:
  struct Parts {
    std::vector<format::SealedFilling> fillings;
    std::vector<format::ColumnSize> sizes;
    size_t columns_at = 0;
  };

  static bool take_apart(std::span<const unsigned char> content, Parts& parts);
  bool expand(std::span<const unsigned char> content, const Parts& parts, unsigned count);

  Decompressor decompressor_;
  Columns columns_;
};

class SegmentEncoder {
 public:
  explicit SegmentEncoder(int level) : compressor_(level) {}

  // The content of the piece. Fills in the facts' sizes, checksums and last times.
  Bytes encode(std::vector<Filling>& fillings);

 private:
  Bytes compress(const std::vector<Filling>& fillings);

  Compressor compressor_;
  ColumnWriter writer_;
  SegmentDecoder decoder_;
};

// How many bytes of a segment hold its fillings' facts and its notes; 0 when the lead makes no
// sense. `lead` are the segment's first bytes, at least sizeof(SegmentLead).
size_t notes_end(std::span<const unsigned char> lead);

}  // namespace heapledger::seal
