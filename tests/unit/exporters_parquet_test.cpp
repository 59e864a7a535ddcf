// Parquet's encodings, by bytes worked out by hand from the format's description (Encodings.md has
// some of them), and what a table puts into a file. Whole files go to independent readers:
// e2e.export_parquet.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "exporters/parquet_encodings.h"
#include "exporters/parquet_table.h"
#include "exporters/parquet_thrift.h"
#include "exporters/stack_ids.h"

namespace heapledger {
namespace {

std::string bytes(std::initializer_list<unsigned> values) {
  std::string all;
  for (unsigned value : values) all += static_cast<char>(value);
  return all;
}

std::string hybrid(const std::vector<uint32_t>& values, unsigned bits) {
  std::string all;
  append_hybrid(all, values, bits);
  return all;
}

std::string deltas(const std::vector<int64_t>& values) {
  std::string all;
  append_deltas(all, values);
  return all;
}

TEST(Parquet, BitsForTheLargestNumber) {
  EXPECT_EQ(bits_for(0), 0u);
  EXPECT_EQ(bits_for(1), 1u);
  EXPECT_EQ(bits_for(7), 3u);
  EXPECT_EQ(bits_for(8), 4u);
  EXPECT_EQ(bits_for(UINT64_MAX), 64u);
}

TEST(Parquet, NumbersThatDifferArePacked) {
  EXPECT_EQ(hybrid({0, 1, 2, 3, 4, 5, 6, 7}, 3), bytes({0x03, 0x88, 0xC6, 0xFA}));
}

TEST(Parquet, AnIncompleteGroupIsFilledWithZeros) {
  EXPECT_EQ(hybrid({1, 0, 1}, 1), bytes({0x03, 0x05}));
}

TEST(Parquet, WhatIsTheSameIsARun) {
  EXPECT_EQ(hybrid(std::vector<uint32_t>(10, 4), 3), bytes({0x14, 0x04}));
  EXPECT_EQ(hybrid(std::vector<uint32_t>(100, 0x1234), 13), bytes({0xC8, 0x01, 0x34, 0x12}));
  EXPECT_EQ(hybrid(std::vector<uint32_t>(9, 0), 0), bytes({0x12}));
  EXPECT_EQ(hybrid({}, 3), "");
}

TEST(Parquet, ARunFillsTheGroupBeforeIt) {
  // 1 0 0 0 0 0 0 0 packed, then eight zeros as a run.
  std::vector<uint32_t> values(16, 0);
  values[0] = 1;
  EXPECT_EQ(hybrid(values, 1), bytes({0x03, 0x01, 0x10, 0x00}));
}

TEST(Parquet, DifferencesThatAreTheSameTakeNoBits) {
  EXPECT_EQ(deltas({1, 2, 3, 4, 5}), bytes({0x80, 0x01, 4, 5, 2, 2, 0, 0, 0, 0}));
}

TEST(Parquet, DifferencesAreLessTheLeastOfTheirBlock) {
  EXPECT_EQ(deltas({7, 5, 3, 1, 2, 3, 4, 5}),
            bytes({0x80, 0x01, 4, 8, 14, 3, 2, 0, 0, 0, 0xC0, 0x3F, 0, 0, 0, 0, 0, 0}));
}

TEST(Parquet, DifferencesWrap) {
  // The one difference, 2^64 - 1, is -1.
  EXPECT_EQ(deltas({INT64_MIN, INT64_MAX}), bytes({0x80, 0x01, 4, 2, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                                                   0xFF, 0xFF, 0xFF, 0xFF, 0x01, 1, 0, 0, 0, 0}));
}

TEST(Parquet, OneNumberOrNoneIsAHeaderAlone) {
  EXPECT_EQ(deltas({-3}), bytes({0x80, 0x01, 4, 1, 5}));
  EXPECT_EQ(deltas({}), bytes({0x80, 0x01, 4, 0, 0}));
}

TEST(Parquet, ThriftFieldsSayHowFarTheyAreFromTheLast) {
  ThriftWriter to;
  to.number32(1, 2);
  to.number64(3, -1);
  to.truth(4, true);
  to.number32(20, 150);
  to.text(21, "ab");
  to.end();
  EXPECT_EQ(to.bytes(),
            bytes({0x15, 4, 0x26, 1, 0x11, 0x05, 40, 0xAC, 0x02, 0x18, 2, 'a', 'b', 0}));
}

TEST(Parquet, ThriftListsAndStructsInThem) {
  ThriftWriter to;
  to.begin_structs(1, 2);
  to.begin_element();
  to.number32(2, 1);
  to.end();
  to.begin_element();
  to.end();
  to.begin_numbers32(2, 15);
  for (int i = 0; i < 15; ++i) to.element(int32_t{1});
  to.end();
  std::string expected = bytes({0x19, 0x2C, 0x25, 2, 0, 0, 0x19, 0xF5, 15});
  EXPECT_EQ(to.bytes(), expected + std::string(15, 2) + std::string(1, '\0'));
}

struct Made {
  explicit Made(std::vector<ParquetColumn> columns, size_t rows_in_group = 100)
      : table([this](std::string_view more) { file += more; }, std::move(columns), rows_in_group) {}
  std::string file;
  ParquetTable table;
};

TEST(Parquet, AFileBeginsAndEndsWithItsMagic) {
  Made made({{"n", ParquetType::kNumber}});
  made.table.finish();
  EXPECT_EQ(made.file.substr(0, 4), "PAR1");
  EXPECT_EQ(made.file.substr(made.file.size() - 4), "PAR1");
  uint32_t footer = 0;
  made.file.copy(reinterpret_cast<char*>(&footer), 4, made.file.size() - 8);
  EXPECT_EQ(made.file.size(), footer + 12);  // nothing else without rows
}

TEST(Parquet, RowGroupsHaveSoManyRows) {
  Made many({{"n", ParquetType::kNumber}}, 10), one({{"n", ParquetType::kNumber}}, 100);
  for (uint64_t i = 0; i < 25; ++i) {
    many.table.number(i).end_row();
    one.table.number(i).end_row();
  }
  many.table.finish();
  one.table.finish();
  // A zstd frame for each: two full groups and the rest.
  auto frames = [](const std::string& file) {
    size_t count = 0;
    const std::string magic = bytes({0x28, 0xB5, 0x2F, 0xFD});
    for (size_t at = 0; (at = file.find(magic, at)) != std::string::npos; ++at) ++count;
    return count;
  };
  EXPECT_EQ(frames(many.file), 3u);
  EXPECT_EQ(frames(one.file), 1u);
}

TEST(Parquet, BoundsAreThereUnlessTheyAreLong) {
  Made made({{"t", ParquetType::kText}});
  made.table.text("lower").end_row();
  made.table.text(std::string(65, 'z')).end_row();
  made.table.finish();
  // Statistics are field 12: nulls 0 (field 3), no largest, and the smallest (field 6).
  EXPECT_NE(made.file.find(bytes({0x36, 0, 0x38, 5}) + "lower"), std::string::npos);
}

TEST(StackHash, IsTheFinalizerOfSplitmix64) {
  StackHash hash;
  hash.add(uint64_t{0});
  EXPECT_EQ(hash.first(), 0xE220A8397B1DCDAFu);  // the first number of splitmix64 from 0 on
  EXPECT_EQ(hash.bytes().size(), 16u);
}

TEST(StackHash, TextsThatFollowOneAnotherAreNotOne) {
  StackHash apart, together;
  apart.add("ab");
  apart.add("c");
  together.add("a");
  together.add("bc");
  EXPECT_NE(apart.bytes(), together.bytes());
}

TEST(StackHash, IsTheSameForABuildWhereverItIs) {
  SiteCatalog one, other;
  const uint32_t here = one.module("/usr/bin/program", "build");
  other.module("/elsewhere/library", "another");
  const uint32_t there = other.module("/home/program", "build");
  const uint32_t site = one.site(one.site(0, here, 0x1000, 0x1100), here, 0x1000, 0x1200);
  other.site(0, there, 0x7000, 0x7300);
  const uint32_t same = other.site(other.site(0, there, 0x7000, 0x7100), there, 0x7000, 0x7200);
  const std::string id = stack_hashes(one)[site].bytes();
  EXPECT_EQ(id, stack_hashes(other)[same].bytes());
  EXPECT_NE(id, stack_hashes(one)[site - 1].bytes());
}

}  // namespace
}  // namespace heapledger
