#include "exporters/packed_text.h"

#include <cstddef>
#include <cstdint>
#include <memory>

#include "exporters/packing.h"

namespace heapledger {
namespace {

std::string in_base64(std::string_view bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t j = 0; j < 3; ++j) {
      group = group << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    }
    for (size_t j = 0; j < 4; ++j) {
      text += i + j <= bytes.size() ? kDigits[group >> (18 - 6 * j) & 63] : '=';
    }
  }
  return text;
}

std::string gzipped(std::string_view bytes) {
  std::string packed;
  auto keep = [&packed](std::string_view piece) { packed += piece; };
  std::unique_ptr<Packer> packer = make_packer(Packing::kGzip);
  packer->add(bytes, keep);
  packer->finish(keep);
  return packed;
}

}  // namespace

std::string packed_text(std::string_view bytes) {
  return in_base64(gzipped(bytes));
}

}  // namespace heapledger
