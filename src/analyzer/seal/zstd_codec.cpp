#include "analyzer/seal/zstd_codec.h"

#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace heapledger::seal {

void Compressor::Free::operator()(ZSTD_CCtx_s* context) const {
  ZSTD_freeCCtx(context);
}

Compressor::Compressor(int level) {
  if (level == 0) return;
  context_.reset(ZSTD_createCCtx());
  if (context_ == nullptr) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel,
                         std::clamp(level, kMinLevel, kMaxLevel));
  // Both sides know the size and check the content.
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_contentSizeFlag, 0);
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 0);
}

size_t Compressor::append(std::span<const unsigned char> bytes, Bytes& to) {
  if (bytes.empty()) return 0;
  const size_t before = to.size();
  if (context_ == nullptr) {
    to.insert(to.end(), bytes.begin(), bytes.end());
    return bytes.size();
  }
  to.resize(before + ZSTD_compressBound(bytes.size()));
  size_t size = ZSTD_compress2(context_.get(), to.data() + before, to.size() - before, bytes.data(),
                               bytes.size());
  if (ZSTD_isError(size) != 0 || size >= bytes.size()) {
    std::memcpy(to.data() + before, bytes.data(), bytes.size());
    size = bytes.size();
  }
  to.resize(before + size);
  return size;
}

void Decompressor::Free::operator()(ZSTD_DCtx_s* context) const {
  ZSTD_freeDCtx(context);
}

Decompressor::Decompressor() : context_(ZSTD_createDCtx()) {
  if (context_ == nullptr) throw std::bad_alloc();
}

bool Decompressor::read(std::span<const unsigned char> stored, size_t raw_bytes, size_t padding,
                        Bytes& to) {
  to.resize(raw_bytes + padding);
  if (padding > 0) std::memset(to.data() + raw_bytes, 0, padding);
  if (stored.size() == raw_bytes) {
    if (raw_bytes > 0) std::memcpy(to.data(), stored.data(), raw_bytes);
    return true;
  }
  size_t got =
      ZSTD_decompressDCtx(context_.get(), to.data(), raw_bytes, stored.data(), stored.size());
  return ZSTD_isError(got) == 0 && got == raw_bytes;
}

}  // namespace heapledger::seal
