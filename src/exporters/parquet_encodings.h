// How Parquet writes many numbers in few bytes: runs and packed bits (for levels and for numbers of
// a dictionary), and differences. All of it is little-endian.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace heapledger {

// Bits that it takes to write any number up to this one.
unsigned bits_for(uint64_t most);

// RLE / bit-packed hybrid, without a length before it: numbers of `bits` bits (up to 32). Runs of
// eight and more that are the same are written once.
void append_hybrid(std::string& to, std::span<const uint32_t> values, unsigned bits);

// DELTA_BINARY_PACKED.
void append_deltas(std::string& to, std::span<const int64_t> values);

// Fixed-width, as PLAIN has it.
template <typename Number>
void append_plain(std::string& to, Number value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace heapledger
