#include "exporters/packing.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <limits>

#include "analyzer/error.h"

namespace heapledger {
namespace {

constexpr int kLargestWindow = 15;
constexpr int kWithGzipHeader = 16;  // added to the size of the window
constexpr int kUsualMemory = 8;
constexpr int kUsualLevel = 3;  // of zstd

[[noreturn]] void cannot_pack(const std::string& why) {
  throw Error("cannot compress: " + why, ErrorKind::kSystem);
}

class GzipPacker : public Packer {
 public:
  GzipPacker() {
    if (deflateInit2(&zlib_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kLargestWindow + kWithGzipHeader,
                     kUsualMemory, Z_DEFAULT_STRATEGY) != Z_OK) {
      cannot_pack("zlib has no memory");
    }
  }
  GzipPacker(const GzipPacker&) = delete;
  GzipPacker& operator=(const GzipPacker&) = delete;
  ~GzipPacker() override { (void)deflateEnd(&zlib_); }

  void add(std::string_view bytes, const Sink& sink) override {
    constexpr size_t kMost = std::numeric_limits<uInt>::max() / 2;
    while (!bytes.empty()) {
      std::string_view piece = bytes.substr(0, std::min(bytes.size(), kMost));
      deflate_all(piece, Z_NO_FLUSH, sink);
      bytes.remove_prefix(piece.size());
    }
  }
  void finish(const Sink& sink) override { deflate_all({}, Z_FINISH, sink); }

 private:
  void deflate_all(std::string_view bytes, int flush, const Sink& sink) {
    std::array<char, size_t{1} << 15> room;
    // zlib does not write to what it reads, but says so only when it is built in a certain way.
    zlib_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    zlib_.avail_in = static_cast<uInt>(bytes.size());
    do {
      zlib_.next_out = reinterpret_cast<Bytef*>(room.data());
      zlib_.avail_out = static_cast<uInt>(room.size());
      (void)deflate(&zlib_, flush);
      sink(std::string_view(room.data(), room.size() - zlib_.avail_out));
    } while (zlib_.avail_out == 0);
  }

  z_stream zlib_{};
};

class ZstdPacker : public Packer {
 public:
  ZstdPacker() : context_(ZSTD_createCCtx(), ZSTD_freeCCtx) {
    if (!context_) cannot_pack("zstd has no memory");
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, kUsualLevel);
  }

  void add(std::string_view bytes, const Sink& sink) override {
    compress(bytes, ZSTD_e_continue, sink);
  }
  void finish(const Sink& sink) override { compress({}, ZSTD_e_end, sink); }

 private:
  void compress(std::string_view bytes, ZSTD_EndDirective how, const Sink& sink) {
    std::array<char, size_t{1} << 15> room;
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    for (;;) {
      ZSTD_outBuffer out{room.data(), room.size(), 0};
      size_t left = ZSTD_compressStream2(context_.get(), &out, &in, how);
      if (ZSTD_isError(left) != 0) cannot_pack(ZSTD_getErrorName(left));
      sink(std::string_view(room.data(), out.pos));
      if (how == ZSTD_e_end ? left == 0 : in.pos == in.size) return;
    }
  }

  std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> context_;
};

}  // namespace

Packing packing_by_name(std::string_view path) {
  if (path.ends_with(".gz")) return Packing::kGzip;
  return path.ends_with(".zst") ? Packing::kZstd : Packing::kNone;
}

std::unique_ptr<Packer> make_packer(Packing packing) {
  if (packing == Packing::kGzip) return std::make_unique<GzipPacker>();
  if (packing == Packing::kZstd) return std::make_unique<ZstdPacker>();
  return nullptr;
}

}  // namespace heapledger
