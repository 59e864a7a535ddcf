// The table of symbols: what goes in comes out, also by way of bytes, and bytes that make no sense
// are refused without any harm.
#include <gtest/gtest.h>

#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "symbols/symbol_table.h"

namespace heapledger {
namespace {

SymbolTable example() {
  SymbolTable table;
  const uint32_t program = table.module("/bin/program", std::string("\x01\x00\xff", 3));
  const uint32_t library = table.module("/lib/libx.so", "");
  const SymbolFrame inlined{table.intern("inner()"), table.intern("/src/a.h"), 12, true};
  const SymbolFrame outer{table.intern("outer(int)"), table.intern("/src/a.cpp"), 345, false};
  table.set(program, 0x1234, std::vector{inlined, outer});
  table.set(program, 0xFFFF'FFFF'FFFF'FFFF, std::vector{outer});
  table.set(program, 0, std::vector{outer});
  const SymbolFrame floor{table.intern("libx.so+0x1f"), 0, 0, false};
  table.set(library, 0x1f, std::vector{floor});
  table.set_source(program, SymbolSource::kDebugInfo, "");
  table.set_source(library, SymbolSource::kNothing, "/lib/libx.so is not there");
  return table;
}

void expect_example(SymbolTable& table) {
  ASSERT_EQ(table.module_count(), 2u);
  const uint32_t program = table.module("/bin/program", std::string("\x01\x00\xff", 3));
  const uint32_t library = table.module("/lib/libx.so", "");
  ASSERT_EQ(table.module_count(), 2u) << "both were known";
  const auto frames = table.find(program, 0x1234);
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(table.text(frames[0].function), "inner()");
  EXPECT_EQ(table.text(frames[0].file), "/src/a.h");
  EXPECT_EQ(frames[0].line, 12u);
  EXPECT_TRUE(frames[0].inlined);
  EXPECT_EQ(table.text(frames[1].function), "outer(int)");
  EXPECT_EQ(frames[1].line, 345u);
  EXPECT_FALSE(frames[1].inlined);
  EXPECT_EQ(table.find(program, 0).size(), 1u);
  EXPECT_EQ(table.find(program, 0xFFFF'FFFF'FFFF'FFFF).size(), 1u);
  EXPECT_TRUE(table.find(program, 0x1235).empty());
  EXPECT_EQ(table.text(table.find(library, 0x1f)[0].function), "libx.so+0x1f");
  EXPECT_EQ(table.text(table.find(library, 0x1f)[0].file), "");
  EXPECT_EQ(table.source(program), SymbolSource::kDebugInfo);
  EXPECT_EQ(table.source(library), SymbolSource::kNothing);
  EXPECT_EQ(table.remark(library), "/lib/libx.so is not there");
  EXPECT_EQ(table.address_count(program), 3u);
}

TEST(SymbolTable, HoldsWhatWasPutIn) {
  SymbolTable table = example();
  expect_example(table);
}

TEST(SymbolTable, IsTheSameByWayOfBytes) {
  const std::string bytes = example().encode();
  SymbolTable table = SymbolTable::decode(bytes);
  expect_example(table);
  EXPECT_EQ(table.encode(), bytes);
}

TEST(SymbolTable, ReplacesTheFramesOfAnAddress) {
  SymbolTable table;
  const uint32_t module = table.module("m", "");
  const SymbolFrame first{table.intern("first"), 0, 1, false};
  const SymbolFrame second{table.intern("second"), 0, 2, false};
  table.set(module, 8, std::vector{first, first, first});
  table.set(module, 9, std::vector{first});
  table.set(module, 8, std::vector{second});
  ASSERT_EQ(table.find(module, 8).size(), 1u);
  EXPECT_EQ(table.find(module, 8)[0], second);
  table.set(module, 8, std::vector{first, second, first, second});
  ASSERT_EQ(table.find(module, 8).size(), 4u);
  EXPECT_EQ(table.find(module, 8)[3], second);
  EXPECT_EQ(table.find(module, 9)[0], first);
}

TEST(SymbolTable, KnowsNothingOfModulesAndTextsThatItLacks) {
  SymbolTable table;
  table.set(7, 1, {});
  EXPECT_TRUE(table.find(7, 1).empty());
  EXPECT_EQ(table.source(7), SymbolSource::kNothing);
  EXPECT_EQ(table.text(99), "");
  const uint32_t module = table.module("m", "");
  table.set(module, 1, std::vector{SymbolFrame{99, 0, 0, false}});
  EXPECT_TRUE(table.find(module, 1).empty()) << "text 99 is not the table's";
}

TEST(SymbolTable, HoldsAMillionAddresses) {
  constexpr uint32_t kAddresses = 1'000'000;
  SymbolTable table;
  const uint32_t module = table.module("m", "id");
  for (uint32_t i = 0; i < kAddresses; ++i) {
    const uint32_t function = table.intern("function " + std::to_string(i % 50'000));
    const SymbolFrame frames[] = {{function, 0, i, true}, {function, 0, i % 100, false}};
    table.set(module, uint64_t{i} * 7919, frames);
  }
  const std::string bytes = table.encode();
  EXPECT_LT(bytes.size(), size_t{kAddresses} * 20);
  const SymbolTable again = SymbolTable::decode(bytes);
  for (uint32_t i = 0; i < kAddresses; i += 997) {
    const auto frames = again.find(module, uint64_t{i} * 7919);
    ASSERT_EQ(frames.size(), 2u);
    EXPECT_EQ(frames[0].line, i);
    EXPECT_EQ(again.text(frames[1].function), "function " + std::to_string(i % 50'000));
  }
}

TEST(SymbolTable, RefusesBytesThatEndTooEarly) {
  const std::string bytes = example().encode();
  for (size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_THROW(SymbolTable::decode(bytes.substr(0, length)), std::runtime_error) << length;
  }
  EXPECT_THROW(SymbolTable::decode(bytes + '\0'), std::runtime_error);
}

TEST(SymbolTable, RefusesAnotherVersion) {
  std::string bytes = example().encode();
  bytes[0] = static_cast<char>(bytes[0] + 2);
  EXPECT_THROW(SymbolTable::decode(bytes), std::runtime_error);
}

// Whatever is accepted must be a whole table: all of it can be asked for and written again.
TEST(SymbolTable, SurvivesFlippedBits) {
  const std::string bytes = example().encode();
  std::mt19937 random(1);
  unsigned refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string damaged = bytes;
    for (unsigned flips = random() % 4 + 1; flips > 0; --flips) {
      char& byte = damaged[random() % damaged.size()];
      byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1u << random() % 8));
    }
    try {
      const SymbolTable table = SymbolTable::decode(damaged);
      ASSERT_EQ(SymbolTable::decode(table.encode()).encode(), table.encode());
    } catch (const std::runtime_error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000u);
}

TEST(SymbolTable, SurvivesNoise) {
  std::mt19937 random(2);
  for (int round = 0; round < 20'000; ++round) {
    std::string noise(random() % 64, '\0');
    for (char& byte : noise) byte = static_cast<char>(random());
    if (!noise.empty()) noise[0] = 3;  // version 1
    try {
      const SymbolTable table = SymbolTable::decode(noise);
      ASSERT_LE(table.module_count(), noise.size());
    } catch (const std::runtime_error& error) {
      ASSERT_NE(std::string(error.what()), "");
    }
  }
}

}  // namespace
}  // namespace heapledger
