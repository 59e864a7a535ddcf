#include "symbols/function_starts.h"

#include <algorithm>
#include <cstring>

namespace heapledger {
namespace {

// How linkers encode the index: its address and length of four bytes each, and pairs of distances
// from its own beginning. Nothing else is read.
constexpr unsigned char kIndexVersion = 1;
constexpr unsigned char kFourBytes = 0x03;
constexpr unsigned char kDistances = 0x3B;
constexpr size_t kPairsAt = 12;

std::optional<uint64_t> address_of_section(const ElfFile& file, std::string_view name) {
  size_t names;
  if (elf_getshdrstrndx(file.elf(), &names) != 0) return std::nullopt;
  for (Elf_Scn* at = elf_nextscn(file.elf(), nullptr); at != nullptr;
       at = elf_nextscn(file.elf(), at)) {
    GElf_Shdr header;
    if (gelf_getshdr(at, &header) == nullptr) continue;
    const char* const its = elf_strptr(file.elf(), names, header.sh_name);
    if (its != nullptr && name == its) return header.sh_addr;
  }
  return std::nullopt;
}

template <typename T>
bool read_at(std::string_view bytes, uint64_t at, T& value) {
  if (at > bytes.size() || bytes.size() - at < sizeof value) return false;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return true;
}

}  // namespace

FunctionStarts::FunctionStarts(const ElfFile& image) {
  if (!image || !image.is_native()) return;
  const std::string_view index = image.section(".eh_frame_hdr");
  const auto index_at = address_of_section(image, ".eh_frame_hdr");
  const auto descriptions_at = address_of_section(image, ".eh_frame");
  uint32_t count = 0;
  if (index.size() < kPairsAt || !index_at || !descriptions_at ||
      static_cast<unsigned char>(index[0]) != kIndexVersion ||
      static_cast<unsigned char>(index[2]) != kFourBytes ||
      static_cast<unsigned char>(index[3]) != kDistances || !read_at(index, 8, count)) {
    return;
  }
  descriptions_ = image.section(".eh_frame");
  descriptions_at_ = *descriptions_at;
  for (uint32_t i = 0; i < count; ++i) {
    int32_t pair[2];
    if (!read_at(index, kPairsAt + uint64_t{i} * sizeof pair, pair)) break;
    entries_.push_back({*index_at + static_cast<uint64_t>(int64_t{pair[0]}),
                        *index_at + static_cast<uint64_t>(int64_t{pair[1]})});
  }
  const auto earlier = [](const Entry& a, const Entry& b) { return a.start < b.start; };
  if (!std::is_sorted(entries_.begin(), entries_.end(), earlier)) {
    std::sort(entries_.begin(), entries_.end(), earlier);
  }
}

// A description has its length, that of its family's distance, the start and the length of the
// function, of four bytes each as compilers write them; the start as a distance from itself.
std::optional<uint64_t> FunctionStarts::of(uint64_t address) const {
  auto after = std::upper_bound(entries_.begin(), entries_.end(), address,
                                [](uint64_t a, const Entry& entry) { return a < entry.start; });
  if (after == entries_.begin()) return std::nullopt;
  const Entry& entry = *std::prev(after);
  if (entry.description < descriptions_at_) return std::nullopt;
  const uint64_t at = entry.description - descriptions_at_;
  int32_t distance;
  uint32_t length;
  if (!read_at(descriptions_, at + 8, distance) || !read_at(descriptions_, at + 12, length)) {
    return std::nullopt;
  }
  const uint64_t start = entry.description + 8 + static_cast<uint64_t>(int64_t{distance});
  if (start != entry.start || address - start >= length) return std::nullopt;
  return start;
}

}  // namespace heapledger
