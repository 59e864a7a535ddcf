// The checksum against the words of docs/format.md, written a second time here.
#include "format/checksum.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <vector>

namespace heapledger::format {
namespace {

// "Four lanes, starting at 1, 2, 3, 4, take the payload's 64-bit words in turn (the last one padded
// with zeros)": word by word, without any of the tricks of the real one.
uint64_t by_the_book(const std::vector<unsigned char>& bytes) {
  constexpr uint64_t kPrime = 11400714819323198485ull;
  std::array<uint64_t, 4> lanes = {1, 2, 3, 4};
  for (size_t word = 0; word * 8 < bytes.size(); ++word) {
    uint64_t value = 0;
    for (size_t i = 0; i < 8 && word * 8 + i < bytes.size(); ++i) {
      value |= uint64_t{bytes[word * 8 + i]} << (8 * i);
    }
    uint64_t& lane = lanes[word % 4];
    lane = (lane ^ value) * kPrime;
    lane ^= lane >> 29;
  }
  uint64_t sum = bytes.size() * kPrime;
  for (uint64_t lane : lanes) {
    sum = (sum ^ lane) * kPrime;
    sum ^= sum >> 32;
  }
  return sum;
}

TEST(Checksum, IsWhatTheDocumentSays) {
  std::mt19937_64 random(3);
  for (size_t length = 0; length < 200; ++length) {
    std::vector<unsigned char> bytes(length);
    for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random());
    ASSERT_EQ(checksum(bytes.data(), bytes.size()), by_the_book(bytes)) << length;
  }
}

TEST(Checksum, EveryFlippedBitIsSeen) {
  std::vector<unsigned char> bytes(100, 0x5a);
  uint64_t sum = checksum(bytes.data(), bytes.size());
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] ^= static_cast<unsigned char>(1u << (bit % 8));
    EXPECT_NE(checksum(bytes.data(), bytes.size()), sum);
    bytes[bit / 8] ^= static_cast<unsigned char>(1u << (bit % 8));
  }
}

TEST(Checksum, ZerosAtTheEndCount) {
  std::vector<unsigned char> bytes(16, 0);
  EXPECT_NE(checksum(bytes.data(), 9), checksum(bytes.data(), 10));
}

}  // namespace
}  // namespace heapledger::format
