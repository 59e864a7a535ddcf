// What programs with Heapledger's header mode (embed/) leave in memory: a header before each block,
// and one image for the program. Decoded from bytes of any word size and byte order; the layout is
// in docs/format.md, "Blocks with headers". Nothing is believed before its check value is right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "cores/memory.h"

namespace heapledger::cores {

inline constexpr uint32_t kBlockMagic = 0x484C4231;
inline constexpr uint32_t kImageMagic = 0x484C4931;
inline constexpr size_t kMagicBytes = 4;
// The longest that can be in front of a header and belongs to it, and the longest structure.
inline constexpr size_t kMostFrameBytes = size_t{255} * 8;
inline constexpr size_t kMostStructureBytes = 80 + 9 * 8;

inline constexpr uint8_t kFlagMoreFrames = 1;
inline constexpr uint8_t kFlagCut = 2;
inline constexpr uint8_t kFlagClock = 4;
inline constexpr uint8_t kFlagThread = 8;

struct BlockHeader {
  uint64_t place = 0;  // where in the dump the block itself is
  uint64_t self = 0;   // where the header says it is
  uint64_t bytes = 0;
  uint64_t time = 0;
  uint32_t lead = 0;  // bytes from the start of the allocation to the block
  uint32_t thread = 0;
  uint32_t serial = 0;
  uint8_t frame_count = 0;
  uint8_t flags = 0;
  uint8_t word_bytes = 0;
  bool big_endian = false;

  uint64_t displacement() const { return self - place; }
  uint64_t start() const { return self - lead; }
  uint64_t end() const { return self + bytes; }
  // Where its frames are in the dump, innermost first.
  uint64_t frames_at() const { return place - 32 - 2u * word_bytes - frame_count * word_bytes; }
};

struct ProgramImage {
  uint64_t place = 0;
  uint64_t self = 0;
  uint8_t flags = 0;
  uint8_t word_bytes = 0;
  bool big_endian = false;
  uint32_t machine = 0;
  uint64_t ticks_per_second = 0;
  uint64_t start_ticks = 0;
  uint64_t now_ticks = 0;
  uint64_t anchor = 0;
  std::string tag;
  uint64_t live_blocks = 0;
  uint64_t live_bytes = 0;

  uint64_t displacement() const { return self - place; }
};

// Bytes of a dump; the first was at `address`.
struct DumpBytes {
  uint64_t address;
  std::span<const unsigned char> bytes;
};

// Whether there is a magic of either kind at `at`, in either byte order; at + 4 is within the
// bytes.
struct Magic {
  bool is_image;
  bool big_endian;
};
std::optional<Magic> magic_at(const DumpBytes& dump, size_t at);

enum class Decoded {
  kNothing,  // a number that happens to be a magic
  kDamaged,  // was one: its check value is wrong, or what it says cannot be
  kComplete,
};
Decoded decode_header(const DumpBytes& dump, size_t at, bool big_endian, BlockHeader& header);
Decoded decode_image(const DumpBytes& dump, size_t at, bool big_endian, ProgramImage& image);

}  // namespace heapledger::cores
