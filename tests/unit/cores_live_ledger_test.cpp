// Tables of live mode in a ledger that is cut, shrinks while it is read, or is mostly a hole.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "analyzer/error.h"
#include "cores/ledger_memory.h"
#include "format/layout.h"
#include "format/live_tables.h"

namespace heapledger::cores {
namespace {

constexpr uint64_t kTables = 0x20000000;
constexpr uint64_t kRecords = 0x30000000;
constexpr uint32_t kBlocks = 1000;
constexpr uint32_t kPlaces = 1024;  // from the header
constexpr uint32_t kMapped = 2048;

template <typename Thing>
std::string bytes_of(const Thing& thing) {
  return {reinterpret_cast<const char*>(&thing), sizeof thing};
}

std::string tables() {
  format::LiveHeader header{};
  std::memcpy(header.magic, format::kLiveMagicHead, 8);
  std::memcpy(header.magic + 8, format::kLiveMagicTail, 8);
  header.byte_order = format::kLiveByteOrder;
  header.version = format::kLiveVersion;
  header.word_bytes = 8;
  header.mapped_bytes = kMapped;
  header.self = kTables;
  header.table_count = 1;
  header.tables[0] = {1, sizeof(format::LiveRecord), kBlocks, 1, kPlaces, kBlocks};
  std::string text = bytes_of(header);
  text.resize(kPlaces);
  text += bytes_of(kRecords);
  text.resize(kMapped);
  return text;
}

std::string records() {
  std::string text;
  for (uint32_t i = 0; i < kBlocks; ++i) {
    text += bytes_of(format::LiveRecord{0x1000 + 2 * i, 0, 16, 0, i});
  }
  return text;
}

void add_part(std::string& file, uint64_t address, const std::string& bytes) {
  format::ExtentHeader block{};
  block.magic = format::kLiveBlockMagic;
  block.seq = address;
  block.base_time = bytes.size();
  size_t start = file.size();
  file += bytes_of(block) + bytes;
  file.resize(start + format::kExtentBytes);
}

std::string ledger() {
  format::FileHeader header{};
  std::memcpy(header.magic, format::kFileMagic, sizeof header.magic);
  header.header_bytes = format::kMinHeaderBytes;
  header.extent_bytes = format::kExtentBytes;
  std::string file = bytes_of(header);
  file.resize(format::kMinHeaderBytes);
  add_part(file, kTables, tables());
  add_part(file, kRecords, records());
  return file;
}

// Says that it has `size` bytes; those behind the text are a hole. After `reads` reads it has only
// the first few.
class ChangingSource final : public ByteSource {
 public:
  ChangingSource(std::string text, uint64_t size, int reads, int& count)
      : text_(std::move(text)), size_(size), reads_(reads), count_(count) {}

  const std::string& name() const override { return name_; }
  uint64_t size() override { return count_ > reads_ ? kLeft : size_; }
  uint64_t next_data(uint64_t offset) override {
    return offset < text_.size() ? offset : UINT64_MAX;
  }
  size_t read(uint64_t offset, void* to, size_t count) override {
    ++count_;
    if (offset >= size()) return 0;
    count = static_cast<size_t>(std::min<uint64_t>(count, size() - offset));
    std::memset(to, 0, count);
    if (offset < text_.size()) text_.copy(static_cast<char*>(to), count, offset);
    return count;
  }

 private:
  static constexpr uint64_t kLeft = 4096;
  std::string name_ = "changing.ledger";
  std::string text_;
  uint64_t size_;
  int reads_;
  int& count_;
};

TEST(LiveLedger, IsReadWhole) {
  std::optional<LiveHeap> heap = read_live_ledger(in_memory("whole", ledger()));
  ASSERT_TRUE(heap);
  EXPECT_EQ(heap->blocks.size(), kBlocks);
  EXPECT_EQ(heap->blocks[7].address, (0x1000u + 14) * 8);
  EXPECT_TRUE(heap->problems.empty());
  EXPECT_FALSE(heap->is_cut);
}

TEST(LiveLedger, WhatACutTookIsTold) {
  size_t until = format::kMinHeaderBytes + format::kExtentBytes + sizeof(format::ExtentHeader);
  size_t records = 300;
  std::string file = ledger().substr(0, until + records * sizeof(format::LiveRecord));
  std::optional<LiveHeap> heap = read_live_ledger(in_memory("cut", file));
  ASSERT_TRUE(heap);
  EXPECT_EQ(heap->blocks.size(), records);
  EXPECT_TRUE(heap->is_cut);
  ASSERT_FALSE(heap->problems.empty());
  EXPECT_NE(heap->problems[0].find("cut short"), std::string::npos) << heap->problems[0];
}

TEST(LiveLedger, OneThatShrinksMeanwhileIsAnError) {
  int whole = 0;
  read_live_ledger(std::make_unique<ChangingSource>(ledger(), ledger().size(), 1000, whole));
  ASSERT_GT(whole, 5);
  int refused = 0;
  for (int reads = 1; reads < whole; ++reads) {
    int count = 0;
    try {
      auto heap = read_live_ledger(
          std::make_unique<ChangingSource>(ledger(), ledger().size(), reads, count));
      EXPECT_FALSE(heap) << "after " << reads << " of " << whole;
    } catch (const Error& error) {
      ++refused;
      EXPECT_EQ(error.kind(), ErrorKind::kData);
      EXPECT_NE(std::string_view(error.what()).find("while it was read"), std::string_view::npos);
    }
  }
  EXPECT_GT(refused, 2);
}

TEST(LiveLedger, AHoleOfATerabyteIsSteppedOver) {
  int count = 0;
  auto source = std::make_unique<ChangingSource>(ledger(), uint64_t{1} << 40, 1 << 30, count);
  std::optional<LiveHeap> heap = read_live_ledger(std::move(source));
  ASSERT_TRUE(heap);
  EXPECT_EQ(heap->blocks.size(), kBlocks);
  EXPECT_LT(count, 100);
}

}  // namespace
}  // namespace heapledger::cores
