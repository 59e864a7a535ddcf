// The structures of ELF files of either word size and byte order: header, segments, notes. They are
// read through a function, because they are in core dumps, in files of programs, and in the memory
// of processes. Whatever they say, nothing is read without bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "elf/shape.h"

namespace heapledger::elf {

// Copies what is at an offset; returns how many bytes there were.
using ReadAt = std::function<size_t(uint64_t offset, std::span<unsigned char> out)>;

// What the format calls e_type, p_type and p_flags.
inline constexpr uint16_t kElfProgram = 2;
inline constexpr uint16_t kElfShared = 3;
inline constexpr uint16_t kElfCore = 4;
inline constexpr uint32_t kSegmentLoad = 1;
inline constexpr uint32_t kSegmentNote = 4;
inline constexpr uint32_t kSegmentExecutable = 1;
inline constexpr uint32_t kSegmentWritable = 2;
inline constexpr uint32_t kSegmentReadable = 4;

// And e_machine.
inline constexpr uint32_t kMachineI386 = 3;
inline constexpr uint32_t kMachinePowerPc = 20;
inline constexpr uint32_t kMachinePowerPc64 = 21;
inline constexpr uint32_t kMachineS390 = 22;
inline constexpr uint32_t kMachineArm = 40;
inline constexpr uint32_t kMachineX86 = 62;
inline constexpr uint32_t kMachineArm64 = 183;
inline constexpr uint32_t kMachineRiscV = 243;

// Numbers inside a structure that has been read.
class ElfFields {
 public:
  ElfFields(std::span<const unsigned char> bytes, const Shape& shape)
      : bytes_(bytes), shape_(shape) {}

  // Zero where the structure ends before that.
  uint64_t number(size_t at, size_t size) const;
  uint16_t half(size_t at) const { return static_cast<uint16_t>(number(at, 2)); }
  uint32_t whole(size_t at) const { return static_cast<uint32_t>(number(at, 4)); }
  uint64_t word(size_t at) const { return number(at, shape_.word_bytes); }

  size_t size() const { return bytes_.size(); }

 private:
  std::span<const unsigned char> bytes_;
  Shape shape_;
};

struct ElfHeader {
  Shape shape;
  uint16_t type = 0;
  uint64_t entry = 0;
  uint64_t segments_at = 0;
  uint64_t segment_count = 0;
  uint64_t segment_bytes = 0;  // of the description of one
};

struct ElfSegment {
  uint32_t type = 0;
  uint32_t flags = 0;
  uint64_t offset = 0;
  uint64_t address = 0;
  uint64_t file_bytes = 0;
  uint64_t memory_bytes = 0;
  uint64_t alignment = 0;
};

struct ElfNote {
  std::string name;
  uint32_t type = 0;
  uint64_t at = 0;  // where its contents are
  uint32_t bytes = 0;
};

// Nothing when there is no ELF header.
std::optional<ElfHeader> read_elf_header(const ReadAt& read);

// Those that are there, `most` of them at the most.
std::vector<ElfSegment> read_elf_segments(const ElfHeader& header, const ReadAt& read, size_t most);

// The notes in a range of offsets.
void for_each_note(const ReadAt& read, const Shape& shape, uint64_t start, uint64_t bytes,
                   uint64_t alignment, const std::function<void(const ElfNote&)>& callback);

// The bytes of the build id in a segment of notes; empty: none.
std::string build_id_in_notes(const ReadAt& read, const Shape& shape, uint64_t start,
                              uint64_t bytes, uint64_t alignment);

}  // namespace heapledger::elf
