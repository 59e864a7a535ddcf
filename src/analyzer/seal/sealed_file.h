// A sealed ledger, opened for reading: which fillings it has, the payload of any of them, and the
// pieces that are stored beside them. Every size is checked against the file and the format's
// limits before memory is taken for it; what is damaged is noted and left out. A few segments are
// kept decoded, 64 MiB at the most, and those that come next are decoded ahead. LedgerFile is the
// only one to use it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/byte_source.h"
#include "analyzer/extent_index.h"
#include "analyzer/problems.h"
#include "analyzer/seal/checkpoint.h"
#include "analyzer/seal/segment.h"
#include "analyzer/seal/segments_ahead.h"
#include "format/entry_decoder.h"
#include "format/sealed.h"

namespace heapledger::seal {

class SealedFile {
 public:
  // Whether a file that begins with these bytes is a sealed ledger.
  static bool is_sealed(std::span<const unsigned char> first_bytes);

  // Throws Error when it is from a later version or cut short in its header.
  SealedFile(ByteSource& source, bool check_sums, Problems& problems);

  const format::FileHeader& ledger_header() const { return header_.ledger; }

  // What the raw ledger's extents were; the index of the fillings goes to `index`.
  void build_index(ExtentIndex& index, Problems& problems);

  enum class Loaded { kWell, kCut, kNot };
  // `number` is the extent() of a place in the index.
  Loaded load(uint64_t number, std::vector<unsigned char>& payload, uint64_t& base_time,
              uint32_t& thread);

  // What is stored under a kind: the last such piece, decompressed.
  std::optional<std::string> piece(format::PieceKind kind);

  // The last sound checkpoint that is not after `time`.
  std::optional<Checkpoint> checkpoint_before(uint64_t time);
  size_t checkpoints() const { return checkpoints_; }

  // Of the last entry of all.
  uint64_t last_time() const;

  // Calls `use` with every note of the fillings that begin not after `time`; the notes of a window
  // in their order. False when some could not be read.
  using UseNote = std::function<void(uint32_t window, uint32_t thread, const format::Entry&)>;
  bool for_each_note(uint64_t time, const UseNote& use);

 private:
  struct Segment {
    uint64_t offset;
    uint64_t bytes;
    uint32_t first;  // of its fillings
    uint32_t fillings;
  };
  struct Place {
    format::SealedFilling facts;
    uint32_t segment;
  };
  struct Kept {
    uint32_t segment;
    uint64_t used;  // when, for the oldest to go first
    uint64_t bytes;
    std::vector<Filling> fillings;
  };

  bool read_header_of(uint64_t offset, format::PieceHeader& header);
  bool read_piece(uint64_t offset, format::PieceKind kind, uint64_t limit, Bytes& content);
  bool read_index();
  bool take_index(std::span<const unsigned char> content);
  void scan();
  void add_scanned(uint64_t offset, const format::PieceHeader& header);
  uint64_t find_piece(uint64_t from);
  const Kept* decoded(uint32_t segment);
  bool decode(uint32_t segment, std::vector<Filling>& fillings);
  void look_ahead(uint32_t segment);
  void let_go(uint32_t segment);

  ByteSource& source_;
  bool check_sums_;
  uint64_t size_ = 0;
  bool scanned_ = false;
  format::SealedHeader header_{};
  format::IndexLead counts_{};
  std::vector<Segment> segments_;
  std::vector<Place> places_;
  std::vector<format::PieceRow> rows_;
  size_t checkpoints_ = 0;
  SegmentDecoder decoder_;
  SegmentsAhead ahead_;
  std::unordered_map<uint32_t, uint32_t> last_of_window_;  // the segment that was decoded last
  std::vector<Kept> kept_;
  uint64_t kept_bytes_ = 0;
  uint64_t uses_ = 0;
  Bytes buffer_;
};

}  // namespace heapledger::seal
