// Sizes and durations: the one dialect of all options, filters, settings and limits.
#include "base/units.h"

#include <gtest/gtest.h>

#include <optional>

namespace heapledger::base {
namespace {

std::optional<uint64_t> size(std::string_view text) {
  uint64_t bytes = 0;
  return read_size(text, bytes) ? std::optional(bytes) : std::nullopt;
}

std::optional<uint64_t> duration(std::string_view text) {
  uint64_t ns = 0;
  return read_duration(text, ns) ? std::optional(ns) : std::nullopt;
}

TEST(Units, SizesArePowersOf1024) {
  EXPECT_EQ(size("0"), 0u);
  EXPECT_EQ(size("4096"), 4096u);
  EXPECT_EQ(size("12B"), 12u);
  for (const char* text : {"512k", "512K", "512kB", "512KB", "512Ki", "512KiB", "512kib", "0.5M"}) {
    EXPECT_EQ(size(text), 524'288u) << text;
  }
  for (const char* text : {"1g", "1G", "1GB", "1GiB", "1024M", "1048576 KiB"}) {
    EXPECT_EQ(size(text), 1u << 30) << text;
  }
  EXPECT_EQ(size("1.5M"), 1'572'864u);
  EXPECT_EQ(size("2T"), 2'199'023'255'552u);
}

TEST(Units, DurationsHaveAUnit) {
  EXPECT_EQ(duration("100ns"), 100u);
  EXPECT_EQ(duration("5us"), 5000u);
  EXPECT_EQ(duration("5µs"), 5000u);
  EXPECT_EQ(duration("5μs"), 5000u);  // another letter that looks the same
  EXPECT_EQ(duration("250ms"), 250'000'000u);
  EXPECT_EQ(duration("1.5s"), 1'500'000'000u);
  for (const char* text : {"2min", "2m", "2 MIN", "120s"}) {
    EXPECT_EQ(duration(text), 120'000'000'000u) << text;
  }
  EXPECT_EQ(duration("1h"), 3'600'000'000'000u);
  EXPECT_EQ(duration("0s"), 0u);
  EXPECT_EQ(duration("5"), std::nullopt);
}

TEST(Units, FractionsAreExact) {
  EXPECT_EQ(size("0.1k"), 102u);  // 102.4
  EXPECT_EQ(size("0.0000001T"), 109'951u);
  EXPECT_EQ(duration("0.123456789s"), 123'456'789u);
  EXPECT_EQ(duration("0.1234567894999999999999999s"), 123'456'789u);
}

TEST(Units, TheLargestIsTheLast) {
  EXPECT_EQ(size("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(size("18446744073709551616"), std::nullopt);
  EXPECT_EQ(size("16777215T"), UINT64_MAX - (uint64_t{1} << 40) + 1);
  EXPECT_EQ(size("16777216T"), std::nullopt);
  EXPECT_EQ(size("16777215.99999999999999999999T"), std::nullopt);
}

TEST(Units, NonsenseIsRefusedAndChangesNothing) {
  for (const char* text : {"", "k", "12q", "-1", "+1", "1..2", "1.", ".5k", "1.5", "1.5B", "1e3",
                           "0x10", " 1k", "1k ", "1 ", "1 G G", "nan", "1GiBs"}) {
    uint64_t value = 7;
    EXPECT_FALSE(read_size(text, value)) << text;
    EXPECT_FALSE(read_duration(text, value)) << text;
    EXPECT_EQ(value, 7u);
  }
  EXPECT_EQ(size("10ms"), std::nullopt);
  EXPECT_EQ(duration("10k"), std::nullopt);
  EXPECT_EQ(duration("0.5ns"), std::nullopt);
}

}  // namespace
}  // namespace heapledger::base
