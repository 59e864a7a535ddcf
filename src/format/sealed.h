// The fixed structures of a sealed ledger: a header that carries the raw ledger's own, then pieces,
// each with a header and checksums of its own, then a footer that finds the index among them.
// docs/format.md says the same in words. All integers are little-endian.
#pragma once

#include <cstddef>
#include <cstdint>

#include "format/layout.h"

namespace heapledger::format {

inline constexpr char kSealedMagic[8] = {'H', 'P', 'S', 'E', 'A', 'L', 'E', 'D'};
inline constexpr char kSealedEndMagic[8] = {'H', 'P', 'S', 'E', 'A', 'L', 'N', 'D'};
inline constexpr uint32_t kSealedVersion = 2;
inline constexpr uint32_t kPieceMagic = 0x53'4c'48'b1;  // bytes B1 'H' 'L' 'S'

struct SealedHeader {
  char magic[8];
  uint32_t version;
  uint32_t header_bytes;  // where the first piece begins
  uint64_t raw_bytes;     // size of the raw ledger
  uint64_t reserved;
  FileHeader ledger;  // as it was in the raw ledger
  uint64_t checksum;  // of the bytes above
};
static_assert(offsetof(SealedHeader, ledger) == 32);
static_assert(offsetof(SealedHeader, checksum) == 248);
static_assert(sizeof(SealedHeader) == 256);

enum class PieceKind : uint32_t {
  kSegment = 1,     // entries
  kIndex = 2,       // where every filling and every other piece is
  kProblems = 3,    // what was wrong with the raw ledger, one line each
  kSymbols = 4,     // what the addresses mean in the source
  kOverview = 5,    // for viewers
  kCheckpoint = 6,  // the live blocks at one moment
  kCounts = 7,      // the tables of count mode
  kUnrecorded = 8,  // the table of programs that could not be recorded
};

// Opens every piece.
struct PieceHeader {
  uint32_t magic;
  uint32_t kind;             // PieceKind
  uint64_t bytes;            // that follow this header
  uint64_t checksum;         // of them
  uint64_t header_checksum;  // of the bytes above
};
static_assert(sizeof(PieceHeader) == 32);

// One filling of a window, in a segment.
struct SealedFilling {
  uint64_t seq;
  uint64_t base_time;
  uint64_t last_time;  // of its last entry
  uint64_t checksum;   // of its payload
  uint32_t window;
  uint32_t thread;
  uint32_t bytes;  // of its payload
  uint32_t flags;
};
static_assert(sizeof(SealedFilling) == 48);

inline constexpr uint32_t kFillingLost = 1;  // it could not be read when the ledger was sealed
inline constexpr uint32_t kFillingCut = 2;   // it came from a window that is damaged further on

// A segment: this, then the fillings, then the columns' sizes, then the columns.
struct SegmentLead {
  uint32_t fillings;
  uint32_t columns;
  uint32_t notes_bytes;  // of the columns that hold the notes; they come first
  uint32_t reserved;
};
static_assert(sizeof(SegmentLead) == 16);

struct ColumnSize {
  uint32_t raw;
  uint32_t stored;  // equal to raw: not compressed
};

// An index: this, then a row for every segment (each followed by its fillings), then a row for
// every other piece.
struct IndexLead {
  uint64_t windows;  // blocks of the raw ledger, by what they were
  uint64_t chunks;
  uint64_t holes;
  uint64_t missed;  // entries that threads with a window could not make
  uint32_t segments;
  uint32_t pieces;
};
static_assert(sizeof(IndexLead) == 40);

struct SegmentRow {
  uint64_t offset;  // of the piece
  uint64_t bytes;   // of its content
  uint32_t fillings;
  uint32_t reserved;
};
static_assert(sizeof(SegmentRow) == 24);

struct PieceRow {
  uint32_t kind;
  uint32_t reserved;
  uint64_t offset;
  uint64_t time;  // checkpoint: its moment
};
static_assert(sizeof(PieceRow) == 24);

struct SealedFooter {
  char magic[8];
  uint64_t index_offset;
  uint64_t file_bytes;
  uint64_t checksum;  // of the bytes above
};
static_assert(sizeof(SealedFooter) == 32);

// Limits a reader may count on.
inline constexpr uint32_t kMaxSegmentFillings = 16;
inline constexpr uint32_t kMaxSegmentRawBytes = 4u << 20;  // all columns together

}  // namespace heapledger::format
