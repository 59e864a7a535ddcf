#include "symbols/mini_debug.h"

#include <lzma.h>

#include <string>

namespace heapledger {
namespace {

// Symbols alone, of the largest libraries, unpack to some ten megabytes.
constexpr size_t kMostUnpacked = size_t{512} << 20;
constexpr uint64_t kMostMemory = uint64_t{256} << 20;

}  // namespace

ElfFile unpack_mini_debug(const ElfFile& image) {
  const std::string_view packed = image.section(".gnu_debugdata");
  if (packed.empty()) return {};
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, kMostMemory, 0) != LZMA_OK) return {};
  stream.next_in = reinterpret_cast<const uint8_t*>(packed.data());
  stream.avail_in = packed.size();
  std::string unpacked;
  lzma_ret state = LZMA_OK;
  while (state == LZMA_OK && unpacked.size() < kMostUnpacked) {
    const size_t before = unpacked.size();
    unpacked.resize(std::max<size_t>(before * 2, 64 * 1024));
    stream.next_out = reinterpret_cast<uint8_t*>(unpacked.data()) + before;
    stream.avail_out = unpacked.size() - before;
    state = lzma_code(&stream, LZMA_FINISH);
    unpacked.resize(unpacked.size() - stream.avail_out);
  }
  lzma_end(&stream);
  if (state != LZMA_STREAM_END) return {};
  return ElfFile(std::move(unpacked), image.path());
}

}  // namespace heapledger
