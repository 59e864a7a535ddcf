// Blocks with headers, written here as docs/format.md describes them and read back.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "cores/block_headers.h"
#include "format/entry.h"
#include "header_bytes.h"

namespace heapledger::cores {
namespace {

using test::HeaderBytes;
using test::HeaderFields;
using test::PiecesOfMemory;

constexpr uint64_t kBase = 0x20000000;

HeaderFields block_at(uint64_t self, uint64_t bytes, uint64_t time = 1) {
  HeaderFields fields;
  fields.self = self;
  fields.bytes = bytes;
  fields.time = time;
  fields.serial = static_cast<uint32_t>(time);
  fields.frames = {0x1010, 0x2020};
  return fields;
}

PiecesOfMemory memory_with(const Shape& shape, const std::vector<HeaderFields>& blocks,
                           size_t size = 65536) {
  HeaderBytes bytes(shape, kBase, size);
  for (const HeaderFields& block : blocks) bytes.put(block);
  PiecesOfMemory memory;
  memory.add(kBase, bytes.bytes());
  return memory;
}

std::vector<uint64_t> addresses_of(const std::optional<LiveHeap>& heap) {
  std::vector<uint64_t> addresses;
  if (!heap) return addresses;
  for (const LiveBlock& block : heap->blocks) addresses.push_back(block.address);
  return addresses;
}

bool has_problem(const LiveHeap& heap, const std::string& words) {
  for (const std::string& problem : heap.problems) {
    if (problem.find(words) != std::string::npos) return true;
  }
  return false;
}

class EveryShape : public testing::TestWithParam<Shape> {};

TEST_P(EveryShape, HasItsBlocksSitesThreadsAndTimes) {
  HeaderFields first = block_at(kBase + 0x1000, 100, 2500);
  first.thread = 7;
  first.flags = 4 | 8;
  HeaderFields second = block_at(kBase + 0x2000, 0, 4000);
  second.frames = {0x3030, 0x2020};
  second.flags = 4;
  HeaderBytes bytes(GetParam(), kBase, 65536);
  bytes.put(first);
  bytes.put(second);
  test::ImageFields image;
  image.self = kBase + 0x4000;
  image.anchor = kBase + 0x9000;
  image.machine = 8;
  image.ticks_per_second = 1000;
  image.start = 500;
  image.now = 4500;
  image.tag = "a build";
  image.live_blocks = 2;
  image.live_bytes = 100;
  bytes.put(image);
  PiecesOfMemory memory;
  memory.add(kBase, bytes.bytes());

  FoundHeaders found;
  std::optional<LiveHeap> heap = read_block_headers(memory, &found);
  ASSERT_TRUE(heap);
  EXPECT_EQ(found.shape.word_bytes, GetParam().word_bytes);
  EXPECT_EQ(found.shape.big_endian, GetParam().big_endian);
  EXPECT_EQ(found.shape.machine, 8u);
  EXPECT_EQ(found.anchor_address, kBase + 0x9000);
  EXPECT_EQ(found.tag, "a build");
  EXPECT_EQ(heap->problems, std::vector<std::string>{});
  ASSERT_EQ(heap->blocks.size(), 2u);
  const LiveBlock& a = heap->blocks[0];
  const LiveBlock& b = heap->blocks[1];
  EXPECT_EQ(a.size, 100u);
  EXPECT_EQ(b.size, 0u);
  EXPECT_EQ(a.time, 2'000'000'000u);  // 2500 − 500 ticks of a millisecond
  EXPECT_EQ(b.time, 3'500'000'000u);
  EXPECT_EQ(heap->now_ns, 4'000'000'000u);
  EXPECT_EQ(heap->threads[a.thread].tid, 7u);
  EXPECT_EQ(b.thread, 0u);
  EXPECT_EQ(heap->sites[a.site].pc, 0x1010u);
  EXPECT_EQ(heap->sites[b.site].pc, 0x3030u);
  // What called both is one site, and there are no others.
  EXPECT_EQ(heap->sites[a.site].parent, heap->sites[b.site].parent);
  EXPECT_EQ(heap->sites[heap->sites[a.site].parent].pc, 0x2020u);
  EXPECT_EQ(heap->sites.size(), 1u + 3u);
}

TEST_P(EveryShape, TellsWhereAPlainDumpWas) {
  HeaderBytes bytes(GetParam(), kBase, 65536);
  for (uint64_t i = 1; i < 20; ++i) bytes.put(block_at(kBase + i * 0x400, i));
  // Opened as if it had been at another place, and not even at a multiple of a word.
  PiecesOfMemory memory;
  memory.add(0x3001, bytes.bytes());
  std::optional<FoundHeaders> found = find_block_headers(memory);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->base, kBase);
  EXPECT_EQ(found->displacement, kBase - 0x3001);
  EXPECT_EQ(found->headers, 19u);
  std::optional<LiveHeap> heap = read_block_headers(memory);
  ASSERT_EQ(heap->blocks.size(), 19u);
  EXPECT_EQ(heap->blocks[4].address, kBase + 5 * 0x400);
  EXPECT_TRUE(has_problem(*heap, "begins at 0x20000000, not at 0x3001"));
}

TEST_P(EveryShape, WithAnyBitWrongIsNoBlock) {
  HeaderFields block = block_at(kBase + 0x200, 10);
  HeaderBytes bytes(GetParam(), kBase, 4096);
  bytes.put(block);
  size_t header = 32 + size_t{2} * GetParam().word_bytes;
  size_t from = 0x200 - header - 2 * GetParam().word_bytes;
  for (size_t bit = from * 8; bit < 0x200 * 8; ++bit) {
    std::vector<unsigned char> changed = bytes.bytes();
    changed[bit / 8] = static_cast<unsigned char>(changed[bit / 8] ^ 1u << bit % 8);
    PiecesOfMemory memory;
    memory.add(kBase, changed);
    EXPECT_TRUE(addresses_of(read_block_headers(memory)).empty()) << "bit " << bit;
  }
}

INSTANTIATE_TEST_SUITE_P(BlockHeaders, EveryShape,
                         testing::Values(Shape{8, false, 0}, Shape{8, true, 0}, Shape{4, false, 0},
                                         Shape{4, true, 0}));

TEST(BlockHeaders, AreFoundOnTheBorderOfPieces) {
  constexpr uint64_t kBorder = uint64_t{1} << 20;
  for (uint64_t shift = 0; shift < 320; shift += 8) {
    uint64_t self = kBase + kBorder + shift - 160;
    PiecesOfMemory memory = memory_with(Shape{}, {block_at(self, 1)}, 2 * kBorder);
    EXPECT_EQ(addresses_of(read_block_headers(memory)), std::vector<uint64_t>{self});
  }
}

TEST(BlockHeaders, InTwoRegionsSideBySideAreFound) {
  HeaderBytes bytes(Shape{}, kBase, 8192);
  bytes.put(block_at(kBase + 4096 + 16, 1));  // its header is in both
  std::vector<unsigned char> all = bytes.bytes();
  PiecesOfMemory memory;
  memory.add(kBase, {all.begin(), all.begin() + 4096});
  memory.add(kBase + 4096, {all.begin() + 4096, all.end()});
  EXPECT_EQ(addresses_of(read_block_headers(memory)), std::vector<uint64_t>{kBase + 4096 + 16});
}

TEST(BlockHeaders, AreNotLookedForWhereNobodyWrites) {
  HeaderBytes bytes(Shape{}, kBase, 4096);
  bytes.put(block_at(kBase + 0x200, 10));
  PiecesOfMemory memory;
  memory.add(kBase, bytes.bytes(), false);
  EXPECT_FALSE(read_block_headers(memory));
  EXPECT_FALSE(find_block_headers(memory));
}

TEST(BlockHeaders, ThatAreCopiesAreLeftOut) {
  HeaderBytes bytes(Shape{}, kBase, 65536);
  for (uint64_t i = 1; i <= 5; ++i) bytes.put(block_at(kBase + i * 0x400, 0x200));
  bytes.copy(kBase + 0x400 - 64, kBase + 0x800 + 32, 64);  // in the middle of a block
  bytes.copy(kBase + 0x400 - 64, kBase + 0x8000, 64);      // and in no block
  bytes.copy(kBase + 0xC00 - 64, kBase + 0x8000 + 96, 64);
  PiecesOfMemory memory;
  memory.add(kBase, bytes.bytes());
  FoundHeaders found;
  std::optional<LiveHeap> heap = read_block_headers(memory, &found);
  ASSERT_TRUE(heap);
  EXPECT_EQ(heap->blocks.size(), 5u);
  EXPECT_EQ(found.others, 3u);
  EXPECT_TRUE(heap->problems.empty());
}

// Pages from here and there: what cannot be right together is told.
TEST(BlockHeaders, ThatMostlyDisagreeAreTold) {
  HeaderBytes bytes(Shape{}, kBase, 65536);
  for (uint64_t i = 1; i <= 5; ++i) bytes.put(block_at(kBase + i * 0x400, 0x200));
  for (uint64_t i = 3; i <= 5; ++i) {
    bytes.copy(kBase + i * 0x400 - 64, kBase + i * 0x480 + 0x4000 - 64, 64);
    bytes.clear(kBase + i * 0x400 - 64, 64);
  }
  PiecesOfMemory memory;
  memory.add(kBase, bytes.bytes());
  std::optional<LiveHeap> heap = read_block_headers(memory);
  EXPECT_EQ(addresses_of(heap), (std::vector<uint64_t>{kBase + 0x400, kBase + 0x800}));
  EXPECT_TRUE(has_problem(*heap, "3 headers left out: not where they say they are"));
}

// The program's own count says that the headers left behind are none of its blocks.
TEST(BlockHeaders, ThatAreAllThereAreNoReasonToTellOfOthers) {
  HeaderBytes bytes(Shape{}, kBase, 65536);
  bytes.put(block_at(kBase + 0x1000, 0x1000, 9));
  bytes.put(block_at(kBase + 0x1800, 16, 3));
  test::ImageFields image;
  image.self = kBase + 0x4000;
  image.live_blocks = 1;
  image.live_bytes = 0x1000;
  bytes.put(image);
  PiecesOfMemory memory;
  memory.add(kBase, bytes.bytes());
  std::optional<LiveHeap> heap = read_block_headers(memory);
  EXPECT_EQ(addresses_of(heap), std::vector<uint64_t>{kBase + 0x1000});
  EXPECT_TRUE(heap->problems.empty());
}

TEST(BlockHeaders, ThatAreOnlyCopiesAreNoHeap) {
  HeaderBytes bytes(Shape{}, kBase, 4096);
  bytes.put(block_at(kBase + 0x200, 10));
  test::ImageFields image;
  image.self = kBase + 0x400;
  bytes.put(image);
  PiecesOfMemory memory;
  memory.add(0x7000000, bytes.bytes());
  EXPECT_TRUE(read_block_headers(memory));
  memory.know_addresses();  // a core: its addresses are true
  EXPECT_FALSE(read_block_headers(memory));
  EXPECT_FALSE(find_block_headers(memory));
}

// An arena that was given back as a whole leaves headers behind that nobody wiped.
TEST(BlockHeaders, InsideAYoungerBlockAreDead) {
  PiecesOfMemory memory =
      memory_with(Shape{}, {block_at(kBase + 0x1000, 0x1000, 9), block_at(kBase + 0x1800, 16, 3)});
  std::optional<LiveHeap> heap = read_block_headers(memory);
  EXPECT_EQ(addresses_of(heap), std::vector<uint64_t>{kBase + 0x1000});
  EXPECT_TRUE(has_problem(*heap, "1 header left out: left behind"));
}

TEST(BlockHeaders, AroundAYoungerBlockAreDead) {
  PiecesOfMemory memory =
      memory_with(Shape{}, {block_at(kBase + 0x1000, 0x1000, 3), block_at(kBase + 0x1800, 16, 9)});
  EXPECT_EQ(addresses_of(read_block_headers(memory)), std::vector<uint64_t>{kBase + 0x1800});
}

// Born at 3, dead when the large one was born at 5, which was dead at 7.
TEST(BlockHeaders, DeadBeforeADeadOneAreDead) {
  PiecesOfMemory memory =
      memory_with(Shape{}, {block_at(kBase + 0x1000, 0x1000, 5), block_at(kBase + 0x1400, 16, 7),
                            block_at(kBase + 0x1800, 16, 3), block_at(kBase + 0x4000, 16, 1)});
  EXPECT_EQ(addresses_of(read_block_headers(memory)),
            (std::vector<uint64_t>{kBase + 0x1400, kBase + 0x4000}));
}

TEST(BlockHeaders, OfOneTickAreOrderedBySerial) {
  HeaderFields outer = block_at(kBase + 0x1000, 0x1000, 5);
  HeaderFields inner = block_at(kBase + 0x1800, 16, 5);
  outer.serial = 10;
  inner.serial = 11;
  EXPECT_EQ(addresses_of(read_block_headers(memory_with(Shape{}, {outer, inner}))),
            std::vector<uint64_t>{kBase + 0x1800});
  inner.serial = 9;
  EXPECT_EQ(addresses_of(read_block_headers(memory_with(Shape{}, {outer, inner}))),
            std::vector<uint64_t>{kBase + 0x1000});
}

TEST(BlockHeaders, WithWrongCheckValueAreCounted) {
  HeaderBytes bytes(Shape{}, kBase, 4096);
  bytes.put(block_at(kBase + 0x200, 10));
  bytes.put(block_at(kBase + 0x400, 10));
  std::vector<unsigned char> changed = bytes.bytes();
  ++changed[0x400 - 1];
  PiecesOfMemory memory;
  memory.add(kBase, changed);
  std::optional<LiveHeap> heap = read_block_headers(memory);
  EXPECT_EQ(addresses_of(heap), std::vector<uint64_t>{kBase + 0x200});
  EXPECT_TRUE(has_problem(*heap, "1 header left out: wrong check value"));
}

TEST(BlockHeaders, ThatCannotBeAreRefused) {
  HeaderFields too_large = block_at(kBase + 0x1000, UINT64_MAX - kBase);
  HeaderFields no_room = block_at(kBase + 0x1000, 8);
  no_room.lead = 48;  // for the header, but not for its frames
  HeaderFields before_memory = block_at(kBase + 0x1000, 8);
  before_memory.lead = UINT32_MAX;
  for (const HeaderFields& block : {too_large, no_room, before_memory}) {
    EXPECT_TRUE(addresses_of(read_block_headers(memory_with(Shape{}, {block}))).empty());
  }
  HeaderFields narrow = block_at(kBase + 0x1000, UINT32_MAX - kBase);
  EXPECT_TRUE(addresses_of(read_block_headers(memory_with(Shape{4, true, 0}, {narrow}))).empty());
}

TEST(BlockHeaders, StacksThatAreNotWholeHangFromAMark) {
  HeaderFields more = block_at(kBase + 0x1000, 1);
  more.flags = 1;
  HeaderFields cut = block_at(kBase + 0x2000, 1);
  cut.flags = 2;
  HeaderFields none = block_at(kBase + 0x3000, 1);
  none.frames.clear();
  HeaderFields odd = block_at(kBase + 0x4000, 1);
  odd.frames = {0x1010, 1, 2};  // no code is there: not to be taken for marks
  std::optional<LiveHeap> heap = read_block_headers(memory_with(Shape{}, {more, cut, none, odd}));
  ASSERT_EQ(heap->blocks.size(), 4u);
  auto outermost = [&](size_t block) {
    uint32_t site = heap->blocks[block].site;
    while (heap->sites[site].parent != 0) site = heap->sites[site].parent;
    return heap->sites[site].pc;
  };
  EXPECT_EQ(outermost(0), format::kMarkDepth);
  EXPECT_EQ(outermost(1), format::kMarkCut);
  EXPECT_EQ(outermost(2), format::kMarkNone);
  EXPECT_EQ(outermost(3), 0x1010u);
}

TEST(BlockHeaders, OfThumbCodeHaveEvenAddresses) {
  HeaderBytes bytes(Shape{4, false, 0}, kBase, 65536);
  HeaderFields block = block_at(kBase + 0x1000, 1);
  block.frames = {0x8001};
  bytes.put(block);
  test::ImageFields image;
  image.self = kBase + 0x4000;
  image.machine = 40;
  bytes.put(image);
  PiecesOfMemory memory;
  memory.add(kBase, bytes.bytes());
  std::optional<LiveHeap> heap = read_block_headers(memory);
  EXPECT_EQ(heap->sites[heap->blocks[0].site].pc, 0x8000u);
  EXPECT_FALSE(heap->has_times);  // the image knows no clock
}

TEST(BlockHeaders, AreComparedWithWhatTheProgramCounted) {
  HeaderBytes bytes(Shape{}, kBase, 65536);
  bytes.put(block_at(kBase + 0x1000, 30));
  test::ImageFields image;
  image.self = kBase + 0x4000;
  image.live_blocks = 3;
  image.live_bytes = 90;
  bytes.put(image);
  PiecesOfMemory memory;
  memory.add(kBase, bytes.bytes());
  std::optional<LiveHeap> heap = read_block_headers(memory);
  EXPECT_TRUE(has_problem(*heap, "counted 3 live blocks with 90 bytes; found are 1 block with 30"));
}

TEST(BlockHeaders, MayBeNoneBesideTheImage) {
  HeaderBytes bytes(Shape{4, true, 0}, kBase, 4096);
  test::ImageFields image;
  image.self = kBase + 0x400;
  bytes.put(image);
  PiecesOfMemory memory;
  memory.add(0x5000, bytes.bytes());
  std::optional<FoundHeaders> found = find_block_headers(memory);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->base, kBase);
  EXPECT_TRUE(found->shape.big_endian);
  std::optional<LiveHeap> heap = read_block_headers(memory);
  ASSERT_TRUE(heap);
  EXPECT_TRUE(heap->blocks.empty());
}

TEST(BlockHeaders, OwnMemoryIsToldForReachability) {
  HeaderFields block = block_at(kBase + 0x1000, 1);
  block.lead = 80;
  std::optional<LiveHeap> heap = read_block_headers(memory_with(Shape{}, {block}));
  ASSERT_EQ(heap->own_ranges.size(), 1u);
  EXPECT_EQ(heap->own_ranges[0].start, kBase + 0x1000 - 80);
  EXPECT_EQ(heap->own_ranges[0].end, kBase + 0x1000);
}

// Headers that overlap in every way, with frames that are other headers: what comes out must not
// overlap, and nothing may be read where nothing is.
TEST(BlockHeaders, MadeToConfuseDoNoHarm) {
  std::mt19937 dice(5);
  for (int round = 0; round < 20; ++round) {
    HeaderBytes bytes(Shape{}, kBase, 65536);
    for (int i = 0; i < 400; ++i) {
      HeaderFields block = block_at(kBase + 4096 + dice() % 7000 * 8, dice() % 5000, dice() % 50);
      block.frames.clear();
      block.frames_in_place = dice() % 256;
      block.lead = static_cast<uint32_t>(48 + block.frames_in_place * 8);
      bytes.put(block);
    }
    PiecesOfMemory memory;
    memory.add(kBase, bytes.bytes());
    std::optional<LiveHeap> heap = read_block_headers(memory);
    ASSERT_TRUE(heap);
    EXPECT_FALSE(heap->blocks.empty());
    for (size_t i = 1; i < heap->blocks.size(); ++i) {
      EXPECT_LE(heap->blocks[i - 1].address + heap->blocks[i - 1].size, heap->own_ranges[i].start);
    }
  }
}

TEST(BlockHeaders, ProgramThatIsNoneIsTold) {
  std::optional<LiveHeap> heap =
      read_block_headers(memory_with(Shape{}, {block_at(kBase + 4096, 1)}));
  FoundHeaders found;
  EXPECT_NE(set_program(*heap, "/dev/null", found), "");
  EXPECT_NE(set_program(*heap, "/no/such/file", found), "");
  EXPECT_EQ(heap->modules.size(), 1u);
}

}  // namespace
}  // namespace heapledger::cores
