// Bytes written by hand from the words of docs/format.md, decoded. The sums are in the comments.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "format/entry_decoder.h"
#include "format/layout.h"

namespace heapledger::format {
namespace {

using Bytes = std::vector<unsigned char>;

struct Decoded {
  std::vector<Entry> entries;
  bool damaged;
};

Decoded decode(const Bytes& bytes, uint64_t base_time = 1000) {
  EntryDecoder decoder(bytes.data(), bytes.data() + bytes.size(), base_time);
  Decoded result{};
  for (Entry entry; decoder.next(entry);) result.entries.push_back(entry);
  result.damaged = decoder.damaged();
  return result;
}

TEST(Bytes, Malloc) {
  // Tag: time delta 5, shape 2: 5 << 2 | 2 = 0x16.
  // Pointer 0x1000 from 0: 0x100 units of 16, zigzag 0x200 = 512; 512 << 2 | 2 = 0x0802.
  // Site 3: 3 << 1 | 1 = 0x07. Size 100: 100 << 1 | 1 = 0xc9.
  Decoded d = decode({0x16, 0x02, 0x08, 0x07, 0xc9});
  ASSERT_EQ(d.entries.size(), 1u);
  EXPECT_EQ(d.entries[0].kind, Kind::kMalloc);
  EXPECT_EQ(d.entries[0].time, 1005u);
  EXPECT_EQ(d.entries[0].pointer, 0x1000u);
  EXPECT_EQ(d.entries[0].site, 3u);
  EXPECT_EQ(d.entries[0].size, 100u);
}

TEST(Bytes, FreeOfAnEarlierAddress) {
  // malloc as above, then free of 0xff0: one unit back, zigzag of -1 is 1; 1 << 1 | 1 = 0x03.
  // Tag: delta 0, shape 1: 0x01.
  Decoded d = decode({0x16, 0x02, 0x08, 0x07, 0xc9, 0x01, 0x03});
  ASSERT_EQ(d.entries.size(), 2u);
  EXPECT_EQ(d.entries[1].kind, Kind::kFree);
  EXPECT_EQ(d.entries[1].time, 1005u);
  EXPECT_EQ(d.entries[1].pointer, 0xff0u);
}

TEST(Bytes, TimeThatDoesNotFitTheTag) {
  // Tag: 63 << 2 | 1 = 0xfd; delta 300: 300 << 2 | 2 = 0x04b2. Pointer +0: 0x01.
  Decoded d = decode({0xfd, 0xb2, 0x04, 0x01});
  ASSERT_EQ(d.entries.size(), 1u);
  EXPECT_EQ(d.entries[0].time, 1300u);
}

TEST(Bytes, PosixMemalign) {
  // Kind 6: 6 << 2 | 3 = 0x1b. Time 1: 0x03. Pointer 0x40: 4 units, zigzag 8: 0x11.
  // Site 1: 0x03. Size 64: 0x81. Alignment 32: 0x41.
  Decoded d = decode({0x1b, 0x03, 0x11, 0x03, 0x81, 0x41});
  ASSERT_EQ(d.entries.size(), 1u);
  EXPECT_EQ(d.entries[0].kind, Kind::kPosixMemalign);
  EXPECT_EQ(d.entries[0].pointer, 0x40u);
  EXPECT_EQ(d.entries[0].size, 64u);
  EXPECT_EQ(d.entries[0].alignment, 32u);
}

TEST(Bytes, ReallocOfABlock) {
  // Kind 9: 9 << 2 | 3 = 0x27. Time 2: 0x05. Old pointer 0x40: 0x11. Duration 3: 0x07.
  // Pointer 0x60, two units on: zigzag 4: 0x09. Site 5: 0x0b. Size 10: 0x15.
  Decoded d = decode({0x27, 0x05, 0x11, 0x07, 0x09, 0x0b, 0x15});
  ASSERT_EQ(d.entries.size(), 1u);
  EXPECT_EQ(d.entries[0].kind, Kind::kRealloc);
  EXPECT_EQ(d.entries[0].time, 1002u);
  EXPECT_EQ(d.entries[0].end_time, 1005u);
  EXPECT_EQ(d.entries[0].old_pointer, 0x40u);
  EXPECT_EQ(d.entries[0].pointer, 0x60u);
  EXPECT_EQ(d.entries[0].size, 10u);
}

TEST(Bytes, DurationAdvancesTheTime) {
  // The realloc above, then a free one unit later: tag 1 << 2 | 1 = 0x05.
  Decoded d = decode({0x27, 0x05, 0x11, 0x07, 0x09, 0x0b, 0x15, 0x05, 0x01});
  ASSERT_EQ(d.entries.size(), 2u);
  EXPECT_EQ(d.entries[1].time, 1006u);
}

TEST(Bytes, SiteIsALongEntry) {
  // Kind 34: 34 << 2 | 3 = 0x8b. Length 5: 0x0b. Time 0: 0x01. Id 7: 0x0f. Parent 0: 0x01.
  // Module 2: 0x05. Pc 20: 0x29.
  const Bytes bytes = {0x8b, 0x0b, 0x01, 0x0f, 0x01, 0x05, 0x29};
  Decoded d = decode(bytes);  // whose fields are views into it
  ASSERT_EQ(d.entries.size(), 1u);
  EXPECT_EQ(d.entries[0].kind, Kind::kSite);
  FieldReader fields(d.entries[0].fields);
  uint64_t id, parent, module, pc;
  ASSERT_TRUE(fields.number(id) && fields.number(parent) && fields.number(module) &&
              fields.number(pc));
  EXPECT_EQ(id, 7u);
  EXPECT_EQ(parent, 0u);
  EXPECT_EQ(module, 2u);
  EXPECT_EQ(pc, 20u);
  EXPECT_TRUE(fields.rest().empty());
}

TEST(Bytes, ZeroTagEndsTheStream) {
  Decoded d = decode({0x05, 0x01, 0x00, 0x05, 0x01});
  EXPECT_EQ(d.entries.size(), 1u);
  EXPECT_FALSE(d.damaged);
}

TEST(Bytes, ShapeZeroWithUpperBitsIsDamage) {
  EXPECT_TRUE(decode({0x04, 0x01}).damaged);
}

TEST(Bytes, KindsBelow32ThatDoNotExistAreDamage) {
  for (unsigned kind : {0u, 15u, 16u, 31u}) {
    EXPECT_TRUE(decode({make_tag(kShapeOther, kind), 0x01, 0x01, 0x01, 0x01}).damaged) << kind;
  }
}

TEST(Bytes, EntryThatIsCutIsDamage) {
  const Bytes whole = {0x27, 0x05, 0x11, 0x07, 0x09, 0x0b, 0x15};
  for (size_t length = 1; length < whole.size(); ++length) {
    Decoded d = decode({whole.begin(), whole.begin() + static_cast<long>(length)});
    EXPECT_TRUE(d.damaged && d.entries.empty()) << length;
  }
}

TEST(Bytes, LengthBeyondThePayloadIsDamage) {
  EXPECT_TRUE(decode({0x8b, 0xc9, 0x01, 0x0f}).damaged);  // claims 100 bytes
}

TEST(Bytes, SiteNumberOver32BitsIsDamage) {
  // Size field in place of the site: 2^32 takes 5 bytes: 2^32 << 5 | 16.
  Decoded d = decode({0x02, 0x01, 0x10, 0x00, 0x00, 0x00, 0x20, 0xc9});
  EXPECT_TRUE(d.damaged);
}

TEST(Bytes, MagicNumbersAreAsDocumented) {
  const unsigned char window[4] = {0xb1, 0x48, 0x4c, 0x57};
  const unsigned char chunk[4] = {0xb1, 0x48, 0x4c, 0x43};
  EXPECT_EQ(std::memcmp(&kWindowMagic, window, 4), 0);
  EXPECT_EQ(std::memcmp(&kChunkMagic, chunk, 4), 0);
}

}  // namespace
}  // namespace heapledger::format
