// The tables of live mode as another machine would have them: written word by word after
// docs/format.md, of either byte order, moved, cut, and telling lies.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "cores/live_tables.h"
#include "fake_memory.h"

namespace heapledger::cores {
namespace {

constexpr uint64_t kHeader = 0x20000000;
constexpr uint64_t kParts = 0x20100000;  // where the parts are, a page each
constexpr uint64_t kPage = 4096;
constexpr uint32_t kMapped = 8192;

class Image {
 public:
  explicit Image(Shape shape, uint64_t stored = UINT64_MAX) : stored_(stored) {
    memory_.set_shape(shape);
    memory_.add(0x10000000, kPage, "something else");
    memory_.add(kHeader, kMapped);
    memory_.add(kParts, 8 * kPage, "", stored);
    memory_.put_text(kHeader, std::string("\x7f") + "HPLEDGER:live\n\x1a");
    put32(16, 0x01020304);
    put32(20, 1);
    put32(24, shape.word_bytes);
    put32(28, kMapped);
    put64(32, kHeader);
    put32(40, 4711);
    put32(44, 1);
    put32(48, 21);  // a PowerPC, say
    put32(52, kPage);
    put32(56, 10);  // time_shift
    put64(80, 1000);
    put64(88, 5'000'000);
    put64(104, 1000 + (1 << 20));
    put64(112, 5'000'000 + 2 * (1 << 20));  // two nanoseconds a tick
    put32(156, 5);
    put64(160, 3);  // missed
    put32(184, 4096);
    put32(188, 8 + 5);
    put32(4096, 2);  // the executable
    put32(4100, 5);
    memory_.put_text(kHeader + 4104, "/bin/x");
    table(0, 1, 20, 100, kParts, 3);
    table(1, 2, 16, 100, kParts + kPage, 4);
    table(2, 3, 32, 100, kParts + 2 * kPage, 4);
    table(3, 4, 512, 8, kParts + 3 * kPage, 2);
    table(4, 5, 24, 100, kParts + 4 * kPage, 1);
    fill();
  }

  void put32(uint64_t offset, uint64_t value) { memory_.put_number(kHeader + offset, value, 4); }
  void put64(uint64_t offset, uint64_t value) { memory_.put_number(kHeader + offset, value, 8); }

  void table(uint32_t index, uint32_t kind, uint32_t item, uint32_t items, uint64_t part,
             uint64_t used) {
    uint64_t at = 224 + uint64_t{index} * 32;
    put32(at, kind);
    put32(at + 4, item);
    put32(at + 8, items);
    put32(at + 12, 1);
    put64(at + 16, 1024 + uint64_t{index} * 8);
    put64(at + 24, used);
    put64(1024 + uint64_t{index} * 8, part);
  }

  void block(uint32_t index, uint64_t address, uint64_t size, uint32_t site, uint32_t time) {
    uint64_t at = kParts + uint64_t{index} * 20;
    memory_.put_number(at, address / 8 & 0xFFFFFFFF, 4);
    memory_.put_number(at + 4, address / 8 >> 32, 4);
    memory_.put_number(at + 8, size & 0xFFFFFFFF, 4);
    memory_.put_number(at + 12, site | size >> 32 << 25, 4);
    memory_.put_number(at + 16, time, 4);
  }

  FakeMemory& memory() { return memory_; }

 private:
  void word(uint64_t part, uint64_t offset, uint64_t value, size_t size) {
    if (part * kPage < stored_) memory_.put_number(kParts + part * kPage + offset, value, size);
  }

  void text(uint64_t part, uint64_t offset, const std::string& text) {
    if (part * kPage < stored_) memory_.put_text(kParts + part * kPage + offset, text);
  }

  void fill() {
    block(0, 0x30001000, 100, 2, 5);
    block(1, 0, 7, 2, 5);  // free
    block(2, 0x7FFF12345678, (uint64_t{3} << 32) + 9, 3, 1000);
    for (uint64_t site = 1; site < 4; ++site) {
      word(1, site * 16, 0x401000 + site, 8);
      word(1, site * 16 + 8, site - 1, 4);
      word(1, site * 16 + 12, 1, 4);
      word(2, site * 32, 10 * site, 8);
      word(2, site * 32 + 8, 1000 * site, 8);
      word(2, site * 32 + 24, 500 * site, 8);
    }
    word(1, 3 * 16, (uint64_t{1} << 63) | 0x401003, 8);  // its code was unloaded since
    word(3, 512, 0x400000, 8);
    word(3, 512 + 8, 0x500000, 8);
    word(3, 512 + 24, 1, 4);
    word(3, 512 + 28, 4, 4);
    text(3, 512 + 32, "\x01\x02\x03\x04");
    text(3, 512 + 64, "/lib/y");
    word(4, 0, 99, 4);
    text(4, 8, "worker");
  }

  uint64_t stored_;  // of the parts' bytes, in the dump
  FakeMemory memory_;
};

class Shapes : public testing::TestWithParam<Shape> {};

TEST_P(Shapes, AreReadAlike) {
  Image image(GetParam());
  // Nobody has said of what kind the dump is: the tables do.
  Shape shape;
  image.memory().set_shape(shape);
  std::optional<FoundTables> found = find_live_tables(image.memory());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->address, kHeader);
  EXPECT_EQ(found->shape.big_endian, GetParam().big_endian);
  EXPECT_EQ(found->shape.word_bytes, GetParam().word_bytes);
  LiveHeap heap = read_live_tables(image.memory(), *found);
  EXPECT_TRUE(heap.problems.empty());
  EXPECT_EQ(heap.pid, 4711u);
  EXPECT_EQ(heap.missed, 3u);
  EXPECT_EQ(heap.executable, "/bin/");  // the text says five bytes
  ASSERT_EQ(heap.blocks.size(), 2u);
  EXPECT_EQ(heap.blocks[0].address, 0x30001000u);
  EXPECT_EQ(heap.blocks[0].size, 100u);
  EXPECT_EQ(heap.blocks[0].site, 2u);
  EXPECT_EQ(heap.blocks[0].time, 2u * (5 << 10));
  EXPECT_EQ(heap.blocks[1].address, 0x7FFF12345678u);
  EXPECT_EQ(heap.blocks[1].size, (uint64_t{3} << 32) + 9);
  ASSERT_EQ(heap.sites.size(), 4u);
  EXPECT_EQ(heap.sites[3].pc, 0x401003u);
  EXPECT_EQ(heap.sites[3].parent, 2u);
  EXPECT_EQ(heap.sites[2].calls, 20u);
  EXPECT_EQ(heap.sites[2].bytes, 2000u);
  EXPECT_EQ(heap.sites[2].peak, 1000u);
  ASSERT_EQ(heap.modules.size(), 2u);
  EXPECT_EQ(heap.modules[1].path, "/lib/y");
  EXPECT_EQ(heap.modules[1].build_id, "\x01\x02\x03\x04");
  ASSERT_EQ(heap.threads.size(), 2u);
  EXPECT_EQ(heap.threads[1].name, "worker");
  EXPECT_EQ(heap.threads[1].tid, 99u);
}

INSTANTIATE_TEST_SUITE_P(Tables, Shapes,
                         testing::Values(Shape{8, false, 62}, Shape{8, true, 21},
                                         Shape{4, false, 3}, Shape{4, true, 20}));

TEST(Tables, PartsThatAreNotThereAreTold) {
  Image image({}, 2 * kPage);  // blocks and sites are in the dump, the rest is not
  LiveHeap heap = read_live_tables(image.memory(), *find_live_tables(image.memory()));
  EXPECT_EQ(heap.blocks.size(), 2u);
  EXPECT_EQ(heap.sites.size(), 4u);
  EXPECT_EQ(heap.modules.size(), 1u);
  EXPECT_EQ(heap.problems.size(), 3u);
}

TEST(Tables, OnePartForTwoTablesIsReadOnce) {
  Image image({});
  image.put64(1024 + 8, kParts);  // sites are said to be where the blocks are
  LiveHeap heap = read_live_tables(image.memory(), *find_live_tables(image.memory()));
  EXPECT_EQ(heap.blocks.size(), 2u);
  EXPECT_EQ(heap.sites.size(), 1u);
  EXPECT_EQ(heap.blocks[0].site, 0u);
  EXPECT_EQ(heap.problems.size(), 1u);
}

TEST(Tables, NumbersThatMakeNoSenseDoNoHarm) {
  for (uint64_t offset = 16; offset < 224 + 5 * 32; offset += 4) {
    for (uint64_t value : {uint64_t{0}, uint64_t{1}, uint64_t{0x7FFFFFFF}, uint64_t{0xFFFFFFFF}}) {
      Image image({});
      image.put32(offset, value);
      std::optional<FoundTables> found = find_live_tables(image.memory());
      if (!found) continue;
      LiveHeap heap = read_live_tables(image.memory(), *found);
      EXPECT_LE(heap.blocks.size(), 8 * kPage / 20);
      EXPECT_LE(heap.sites.size(), 8 * kPage);
    }
  }
}

TEST(Tables, ParentsComeFirstOrAreNone) {
  Image image({});
  image.memory().put_number(kParts + kPage + 2 * 16 + 8, 3, 4);  // 2's parent is 3, 3's is 2
  LiveHeap heap = read_live_tables(image.memory(), *find_live_tables(image.memory()));
  EXPECT_EQ(heap.sites[2].parent, 0u);
  EXPECT_EQ(heap.sites[3].parent, 2u);
}

}  // namespace
}  // namespace heapledger::cores
