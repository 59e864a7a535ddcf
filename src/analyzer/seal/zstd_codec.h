// zstd for columns and pieces: contexts that are kept and used again. Decompression never gives
// more than it was told to expect.
#pragma once

#include <memory>
#include <span>

#include "analyzer/seal/columns.h"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace heapledger::seal {

class Compressor {
 public:
  // Level 0 compresses nothing: for tests that change what is inside.
  explicit Compressor(int level);

  // Appends `bytes` to `to`, compressed where that makes it smaller; returns how much was added.
  // As many as there were: not compressed.
  size_t append(std::span<const unsigned char> bytes, Bytes& to);

 private:
  struct Free {
    void operator()(ZSTD_CCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_CCtx_s, Free> context_;
};

class Decompressor {
 public:
  Decompressor();

  // Makes `raw_bytes` bytes of `stored`, followed by `padding` zeros. False when it is not that.
  bool read(std::span<const unsigned char> stored, size_t raw_bytes, size_t padding, Bytes& to);

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_DCtx_s, Free> context_;
};

// The levels that make sense, and the one that is used when nobody chooses.
inline constexpr int kMinLevel = 1;
inline constexpr int kMaxLevel = 19;
inline constexpr int kDefaultLevel = 3;

}  // namespace heapledger::seal
