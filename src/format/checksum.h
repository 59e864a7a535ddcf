// The checksum of chunks: four interleaved multiply-and-fold lanes over 64-bit words, so that it
// costs the runtime a fraction of a nanosecond an entry. It finds damage; it is no defence against
// forgery.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace heapledger::format {

inline uint64_t checksum(const void* data, size_t bytes) {
  constexpr uint64_t kPrime = 0x9E3779B97F4A7C15ull;
  const auto* p = static_cast<const unsigned char*>(data);
  uint64_t lane[4] = {1, 2, 3, 4};
  uint64_t length = bytes;
  for (; bytes >= 32; bytes -= 32, p += 32) {
    for (unsigned i = 0; i < 4; ++i) {
      uint64_t word;
      std::memcpy(&word, p + 8 * i, 8);
      lane[i] = (lane[i] ^ word) * kPrime;
      lane[i] ^= lane[i] >> 29;
    }
  }
  for (unsigned i = 0; bytes > 0; ++i) {  // the tail, padded with zeros to whole words
    size_t take = bytes < 8 ? bytes : 8;
    uint64_t word = 0;
    std::memcpy(&word, p, take);
    lane[i] = (lane[i] ^ word) * kPrime;
    lane[i] ^= lane[i] >> 29;
    p += take;
    bytes -= take;
  }
  uint64_t sum = length * kPrime;
  for (uint64_t value : lane) {
    sum = (sum ^ value) * kPrime;
    sum ^= sum >> 32;
  }
  return sum;
}

}  // namespace heapledger::format
