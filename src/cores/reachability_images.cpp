#include "cores/reachability_images.h"

#include <algorithm>
#include <optional>

namespace heapledger::cores {
namespace {

constexpr uint32_t kLoad = 1;
constexpr uint32_t kTls = 7;
constexpr uint16_t kMostHeaders = 256;
constexpr uint64_t kLargestImage = uint64_t{1} << 36;  // beyond that a header is taken as damaged
constexpr uint64_t kLargestTls = uint64_t{1} << 20;

struct Headers {
  uint64_t start = 0;
  uint16_t count = 0;
  uint16_t bytes_each = 0;
};

// Those of the ELF file whose beginning is mapped at `start`.
std::optional<Headers> headers_at(const Memory& memory, uint64_t start) {
  bool wide = memory.shape().word_bytes == 8;
  if (memory.number<uint8_t>(start) != 0x7f || memory.number<uint8_t>(start + 1) != 'E' ||
      memory.number<uint8_t>(start + 4) != (wide ? 2 : 1)) {
    return std::nullopt;
  }
  auto offset = memory.word(start + (wide ? 32 : 28));
  auto each = memory.number<uint16_t>(start + (wide ? 54 : 42));
  auto count = memory.number<uint16_t>(start + (wide ? 56 : 44));
  if (!offset || !each || !count || *each < (wide ? 56 : 32) || *count > kMostHeaders) {
    return std::nullopt;
  }
  return Headers{start + *offset, *count, *each};
}

Image image_of(const Memory& memory, const Module& module) {
  Image image{module.start, module.end, 0};
  auto headers = headers_at(memory, module.start);
  if (!headers) return image;
  bool wide = memory.shape().word_bytes == 8;
  for (uint16_t i = 0; i < headers->count; ++i) {
    uint64_t at = headers->start + uint64_t{i} * headers->bytes_each;
    auto type = memory.number<uint32_t>(at);
    auto address = memory.word(at + (wide ? 16 : 8));
    auto bytes = memory.word(at + (wide ? 40 : 20));
    if (!type || !address || !bytes) break;
    if (*type == kTls) image.tls_bytes = std::min(*bytes, kLargestTls);
    uint64_t end = module.bias + *address + *bytes;
    if (*type == kLoad && *bytes < kLargestImage && end > module.start &&
        end - module.start < kLargestImage) {
      image.end = std::max(image.end, end);
    }
  }
  return image;
}

}  // namespace

std::vector<Image> images_of(const Memory& memory) {
  std::vector<Image> images;
  images.reserve(memory.modules().size());
  for (const Module& module : memory.modules()) images.push_back(image_of(memory, module));
  return images;
}

}  // namespace heapledger::cores
