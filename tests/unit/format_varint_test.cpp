// Varints and folded pointers: known encodings worked out by hand, and round trips.
#include "format/varint.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace heapledger::format {
namespace {

std::vector<unsigned char> encoded(uint64_t value) {
  unsigned char bytes[16] = {};
  unsigned char* end = put_varint(bytes, value);
  return {bytes, end};
}

using Bytes = std::vector<unsigned char>;

TEST(Varint, OneByteHoldsSevenBits) {
  EXPECT_EQ(encoded(0), Bytes({0x01}));    // 0 << 1 | 1
  EXPECT_EQ(encoded(1), Bytes({0x03}));    // 1 << 1 | 1
  EXPECT_EQ(encoded(127), Bytes({0xff}));  // 127 << 1 | 1
}

TEST(Varint, TwoBytesBegin) {
  EXPECT_EQ(encoded(128), Bytes({0x02, 0x02}));    // 128 << 2 | 2 = 0x0202
  EXPECT_EQ(encoded(16383), Bytes({0xfe, 0xff}));  // 16383 << 2 | 2 = 0xfffe
}

TEST(Varint, LongestWithMarker) {
  // 2^56 - 1 takes 8 bytes: seven bytes of ones above a marker byte of 0x80.
  EXPECT_EQ(encoded((uint64_t{1} << 56) - 1),
            Bytes({0x80, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}));
}

TEST(Varint, RawFromTwoToThe56) {
  EXPECT_EQ(encoded(uint64_t{1} << 56), Bytes({0, 0, 0, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(encoded(UINT64_MAX), Bytes({0, 255, 255, 255, 255, 255, 255, 255, 255}));
}

TEST(Varint, EveryLengthComesBack) {
  for (unsigned bit = 0; bit < 64; ++bit) {
    for (uint64_t value : {uint64_t{1} << bit, (uint64_t{1} << bit) - 1, ~uint64_t{0} >> bit}) {
      unsigned char bytes[16] = {};
      unsigned char* end = put_varint(bytes, value);
      uint64_t back = 0;
      EXPECT_EQ(get_varint(bytes, end, back), end);
      EXPECT_EQ(back, value);
    }
  }
}

TEST(Varint, CutAnywhereIsRefused) {
  for (unsigned bit = 0; bit < 64; ++bit) {
    unsigned char bytes[16] = {};
    const unsigned char* end = put_varint(bytes, uint64_t{1} << bit);
    for (const unsigned char* cut = bytes; cut < end; ++cut) {
      uint64_t value;
      EXPECT_EQ(get_varint(bytes, cut, value), nullptr);
    }
  }
}

TEST(Varint, BytesPastTheEndStayZero) {
  unsigned char bytes[24];
  for (uint64_t value : {uint64_t{0}, uint64_t{300}, uint64_t{1} << 40, UINT64_MAX}) {
    std::memset(bytes, 0, sizeof bytes);
    for (unsigned char* at = put_varint(bytes, value); at < bytes + sizeof bytes; ++at) {
      EXPECT_EQ(*at, 0);
    }
  }
}

TEST(FoldedPointer, NeighboursAreSmall) {
  EXPECT_EQ(fold_pointer(0x1010, 0x1000), 2u);  // 1 unit forward: zigzag of 1
  EXPECT_EQ(fold_pointer(0x1000, 0x1010), 1u);  // 1 unit back: zigzag of -1
  EXPECT_EQ(fold_pointer(0x1000, 0x1000), 0u);
}

TEST(FoldedPointer, OddBitsGoToTheTop) {
  EXPECT_EQ(fold_pointer(0x1003, 0x1000), uint64_t{3} << 60);
}

TEST(FoldedPointer, AnyTwoAddressesComeBack) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 100'000; ++i) {
    uint64_t previous = random() >> (random() % 64);
    uint64_t pointer = random() >> (random() % 64);
    ASSERT_EQ(unfold_pointer(fold_pointer(pointer, previous), previous), pointer);
  }
}

}  // namespace
}  // namespace heapledger::format
