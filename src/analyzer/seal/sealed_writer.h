// Writes a sealed ledger, piece by piece, in whatever order they come and from any thread, and at
// the end the index and the footer. Knows nothing of where the pieces come from.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "analyzer/extent_index.h"
#include "analyzer/seal/columns.h"
#include "analyzer/seal/segment.h"
#include "format/sealed.h"

namespace heapledger::seal {

// Where the bytes go, one after the other. Throws Error when they cannot.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual void append(const void* bytes, size_t count) = 0;
};

// A piece with its header; returns how many bytes that is.
uint64_t append_piece(ByteSink& sink, format::PieceKind kind, const Bytes& content);

class SealedWriter {
 public:
  SealedWriter(ByteSink& sink, const format::FileHeader& ledger, uint64_t raw_bytes);

  void add_segment(std::span<const Filling> fillings, const Bytes& content);
  void add_piece(format::PieceKind kind, const Bytes& content, uint64_t time = 0);

  // Whether the entries of every window are in order throughout, as far as they have been added:
  // the times at which fillings begin then tell where any time is.
  bool in_order();

  // Writes the index and the footer; returns the size of the whole.
  uint64_t finish(const ExtentCounts& counts, uint64_t missed);

 private:
  struct Segment {
    format::SegmentRow row;
    std::vector<format::SealedFilling> fillings;
  };

  uint64_t append(format::PieceKind kind, const Bytes& content);
  void sort_segments();

  ByteSink& sink_;
  std::mutex mutex_;
  uint64_t size_ = 0;
  std::vector<Segment> segments_;
  std::vector<format::PieceRow> pieces_;
};

}  // namespace heapledger::seal
