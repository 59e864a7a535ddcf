#include "exporters/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>

#include "analyzer/error.h"

namespace heapledger {
namespace {

constexpr int kLargestWindow = 15;
constexpr int kWithGzipHeader = 16;  // added to the size of the window
constexpr int kUsualMemory = 8;

}  // namespace

struct GzipOutput::Stream {
  z_stream zlib{};
};

GzipOutput::GzipOutput(Output& output) : output_(output), stream_(std::make_unique<Stream>()) {
  if (deflateInit2(&stream_->zlib, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
                   kLargestWindow + kWithGzipHeader, kUsualMemory, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw Error("cannot compress: zlib has no memory", ErrorKind::kSystem);
  }
}

GzipOutput::~GzipOutput() {
  (void)deflateEnd(&stream_->zlib);
}

void GzipOutput::write(std::string_view bytes) {
  constexpr size_t kMost = std::numeric_limits<uInt>::max() / 2;
  while (!bytes.empty()) {
    std::string_view piece = bytes.substr(0, std::min(bytes.size(), kMost));
    compress(piece, Z_NO_FLUSH);
    bytes.remove_prefix(piece.size());
  }
}

void GzipOutput::finish() {
  compress({}, Z_FINISH);
}

void GzipOutput::compress(std::string_view bytes, int flush) {
  z_stream& zlib = stream_->zlib;
  std::array<char, size_t{1} << 15> room;
  // zlib does not write to what it reads, but says so only when it is built in a certain way.
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  zlib.avail_in = static_cast<uInt>(bytes.size());
  do {
    zlib.next_out = reinterpret_cast<Bytef*>(room.data());
    zlib.avail_out = static_cast<uInt>(room.size());
    (void)deflate(&zlib, flush);
    output_.write(std::string_view(room.data(), room.size() - zlib.avail_out));
  } while (zlib.avail_out == 0);
}

}  // namespace heapledger
