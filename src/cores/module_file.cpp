#include "cores/module_file.h"

#include <algorithm>
#include <utility>

#include "analyzer/error.h"

namespace heapledger::cores {
namespace {

constexpr size_t kMostModuleSegments = 512;
constexpr size_t kMostNoteSegments = 8;
constexpr size_t kSampledPage = 4096;
constexpr size_t kWindowsOfFile = 4;

uint64_t narrow(uint64_t address, const elf::ElfHeader& header) {
  return header.shape.word_bytes == 4 ? address & UINT32_MAX : address;
}

// Header, segments and the bytes behind them; the build id is elsewhere in files and in memory.
std::optional<ElfImage> read_image(const elf::ReadAt& read) {
  auto header = elf::read_elf_header(read);
  if (!header || (header->type != elf::kElfProgram && header->type != elf::kElfShared))
    return std::nullopt;
  ElfImage image;
  image.header = *header;
  image.segments = elf::read_elf_segments(*header, read, kMostModuleSegments);
  uint64_t from = header->segments_at + image.segments.size() * header->segment_bytes;
  if (from < kSampledPage) {
    image.sample.resize(kSampledPage - static_cast<size_t>(from));
    image.sample.resize(read(from, image.sample));
  }
  return image;
}

// The build id, whose notes are at their addresses plus `bias` in memory, at their offsets in
// files.
std::string find_build_id(const ElfImage& image, const elf::ReadAt& read, bool in_memory,
                          uint64_t bias) {
  size_t seen = 0;
  for (const elf::ElfSegment& segment : image.segments) {
    if (segment.type != elf::kSegmentNote || ++seen > kMostNoteSegments) continue;
    uint64_t at = in_memory ? narrow(bias + segment.address, image.header) : segment.offset;
    std::string found =
        elf::build_id_in_notes(read, image.header.shape, at, segment.file_bytes, segment.alignment);
    if (!found.empty()) return found;
  }
  return {};
}

std::unique_ptr<ModuleFile> open_module_file(const std::string& path) {
  std::shared_ptr<ByteWindows> bytes;
  try {
    bytes = std::make_shared<ByteWindows>(open_file(path), kWindowsOfFile, Faults::kMissing);
  } catch (const Error&) {
    return nullptr;
  }
  // Files made up by the kernel have no size, and reading one of them may wait forever.
  if (bytes->size() == 0) return nullptr;
  elf::ReadAt read = [&](uint64_t at, std::span<unsigned char> out) {
    return bytes->read(at, out);
  };
  auto image = read_image(read);
  if (!image) return nullptr;
  image->build_id = find_build_id(*image, read, false, 0);
  return std::make_unique<ModuleFile>(ModuleFile{std::move(bytes), std::move(*image)});
}

}  // namespace

uint64_t ElfImage::bias_at(uint64_t start) const {
  for (const elf::ElfSegment& segment : segments) {
    if (segment.type != elf::kSegmentLoad) continue;
    return narrow(start - (segment.address - segment.offset), header);
  }
  return start;
}

uint64_t ElfImage::end_with(uint64_t bias) const {
  uint64_t end = 0;
  for (const elf::ElfSegment& segment : segments) {
    if (segment.type != elf::kSegmentLoad) continue;
    uint64_t start = narrow(bias + segment.address, header);
    uint64_t behind = start + segment.memory_bytes;
    if (behind > start && behind <= UINT64_MAX - kSampledPage) end = std::max(end, behind);
  }
  return (end + kSampledPage - 1) & ~uint64_t{kSampledPage - 1};
}

bool ElfImage::same_build(const ElfImage& other) const {
  if (header.shape.machine != other.header.shape.machine) return false;
  if (!build_id.empty() && !other.build_id.empty()) return build_id == other.build_id;
  // Where one of them has no id: what the linker wrote first, tables of symbols among it.
  return header.entry == other.header.entry && !sample.empty() && sample == other.sample;
}

std::optional<ElfImage> image_in_memory(const elf::ReadAt& memory, uint64_t start) {
  auto image = read_image([&](uint64_t offset, std::span<unsigned char> out) {
    return offset > UINT64_MAX - start ? 0 : memory(start + offset, out);
  });
  if (image) image->build_id = find_build_id(*image, memory, true, image->bias_at(start));
  return image;
}

const ModuleFile* ModuleFiles::find(const std::string& path) {
  auto [place, is_new] = files_.try_emplace(path);
  if (is_new) place->second = open_module_file(path);
  return place->second.get();
}

}  // namespace heapledger::cores
