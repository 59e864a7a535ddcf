// A sealed ledger cut anywhere, and with bits changed anywhere: never a crash, whatever is lost is
// said, and what is whole is kept.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "analyzer/error.h"
#include "format/sealed.h"
#include "ledger_builder.h"
#include "seal_bytes.h"

namespace heapledger {
namespace {

using test::Contents;
using test::contents;
using test::LedgerBuilder;

std::string some_ledger() {
  std::mt19937_64 random(4);
  LedgerBuilder ledger;
  for (uint64_t i = 0; i < 60'000; ++i) {
    auto& window = ledger.window(static_cast<uint32_t>(i % 3));
    uint64_t address = 0x1000 + 16 * (random() % 5000);
    if (i % 2 == 0) {
      window.malloc(10 * i, address, random() % 300, static_cast<uint32_t>(random() % 90));
    } else {
      window.free(10 * i, address);
    }
    if (i % 100 == 0) window.site(10 * i, static_cast<uint32_t>(i), 0, 1, random() % 10'000);
    if (i % 1500 == 0) window.flush();
  }
  return ledger.bytes();
}

std::string sealed_ledger() {
  seal::SealOptions options;
  options.symbols = "symbols";
  options.checkpoints.entries = 10'000;
  options.checkpoints.entries_per_block = 0;
  return test::sealed(some_ledger(), options);
}

// Everything found is something that was there, in its place.
void expect_part_of(const Contents& part, const Contents& whole) {
  for (const auto& filling : part.fillings) {
    ASSERT_TRUE(std::find(whole.fillings.begin(), whole.fillings.end(), filling) !=
                whole.fillings.end());
  }
}

TEST(SealDamage, CutAtEveryKibibyte) {
  const std::string bytes = sealed_ledger();
  const Contents whole = contents(bytes);
  ASSERT_GT(whole.fillings.size(), 40u);
  ASSERT_TRUE(whole.problems.empty());
  size_t least = 0;
  for (size_t length = 0; length < bytes.size(); length += 1024) {
    const std::string cut = bytes.substr(0, length);
    if (length < sizeof(format::SealedHeader)) {
      EXPECT_THROW(contents(cut), Error);
      continue;
    }
    Contents part = contents(cut);
    ASSERT_FALSE(part.problems.empty()) << length;
    ASSERT_GE(part.fillings.size(), least) << length;
    least = part.fillings.size();
    expect_part_of(part, whole);
  }
  EXPECT_GT(least, whole.fillings.size() / 2);
}

TEST(SealDamage, ChangedBitsCostOneFrameAtMost) {
  const std::string bytes = sealed_ledger();
  const Contents whole = contents(bytes);
  std::mt19937_64 random(8);
  for (int round = 0; round < 400; ++round) {
    std::string changed = bytes;
    size_t at =
        sizeof(format::SealedHeader) + random() % (bytes.size() - sizeof(format::SealedHeader));
    changed[at] = static_cast<char>(changed[at] ^ (1 << random() % 8));
    Contents part = contents(changed);
    ASSERT_GE(part.fillings.size() + format::kMaxSegmentFillings, whole.fillings.size()) << at;
    ASSERT_TRUE(part.fillings.size() == whole.fillings.size() || !part.problems.empty()) << at;
    expect_part_of(part, whole);
  }
}

TEST(SealDamage, AChangedHeaderIsNoticed) {
  const std::string bytes = sealed_ledger();
  for (size_t at = sizeof format::kSealedMagic; at < sizeof(format::SealedHeader); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    try {
      EXPECT_FALSE(contents(changed).problems.empty()) << at;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kData);
    }
  }
}

TEST(SealDamage, ALaterVersionIsRefused) {
  std::string bytes = sealed_ledger();
  bytes[8] = 3;
  try {
    contents(bytes);
    FAIL() << "it was read";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("A newer heapledger"), std::string::npos);
  }
}

TEST(SealDamage, RubbishEverywhere) {
  const std::string bytes = sealed_ledger();
  std::mt19937_64 random(15);
  for (int round = 0; round < 100; ++round) {
    std::string changed = bytes;
    for (int i = 0; i < 200; ++i) {
      changed[sizeof(format::SealedHeader) +
              random() % (bytes.size() - sizeof(format::SealedHeader))] =
          static_cast<char>(random());
    }
    ASSERT_NO_THROW(contents(changed));
  }
}

}  // namespace
}  // namespace heapledger
