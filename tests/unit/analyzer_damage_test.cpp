// A ledger cut at every offset, and with a byte changed at every offset: never a crash, and every
// whole chunk is kept. (The sanitizers watch when this runs under them.)
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "analyze_bytes.h"
#include "ledger_builder.h"

namespace heapledger {
namespace {

using test::Analysis;
using test::analyze_bytes;
using test::extent_offset;
using test::LedgerBuilder;

constexpr uint64_t kCallsInChunks = 40;

// Block 0: window 0, 3 calls in it. Blocks 1 and 2: its chunks with 20 calls each.
std::string small_ledger() {
  LedgerBuilder ledger;
  auto& window = ledger.window(0);
  window.thread(0, 0, 100, "main").info(0, format::InfoKey::kHost, "example");
  window.module(0, 1, 0x1000, 0x2000, 0, "id", "/bin/x").site(0, 1, 0, 1, 0x1100);
  for (uint64_t i = 0; i < kCallsInChunks; ++i) {
    window.malloc(i, 0x10000 + 32 * i, i);
    if (i % 20 == 19) window.flush();
  }
  window.malloc(50, 0x90000, 8).resize(51, 0x90000, 52, 0x91000, 16).free(53, 0x91000);
  return ledger.bytes();
}

// The bytes of the file worth trying: everything but the long runs of zeros.
std::vector<size_t> interesting_offsets(const std::string& bytes) {
  std::vector<size_t> offsets;
  for (size_t at = 0; at < bytes.size(); ++at) {
    bool near_content = false;
    size_t from = at < 16 ? 0 : at - 16;
    for (size_t i = from; i < std::min(at + 16, bytes.size()); ++i) {
      near_content = near_content || bytes[i] != '\0';
    }
    if (near_content || at % 4099 == 0) offsets.push_back(at);
  }
  return offsets;
}

struct Outcome {
  bool opened = false;
  uint64_t calls = 0;
  bool damaged = true;
};

Outcome look_at(const std::string& bytes) {
  try {
    Analysis a = analyze_bytes(bytes);
    return {true, a.totals.calls, a.damaged()};
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData);
    return {};
  }
}

TEST(Damage, CutAnywhereKeepsWholeChunks) {
  const std::string whole = small_ledger();
  for (size_t length : interesting_offsets(whole)) {
    Outcome outcome = look_at(whole.substr(0, length));
    if (length < sizeof(format::FileHeader)) {
      ASSERT_FALSE(outcome.opened) << length;
      continue;
    }
    ASSERT_TRUE(outcome.opened) << length;
    // The end of each chunk's content, which is where it becomes whole.
    uint64_t whole_chunks = 0;
    for (size_t block : {size_t{1}, size_t{2}}) {
      uint32_t used = 0;
      std::memcpy(&used, whole.data() + extent_offset(block) + 28, sizeof used);
      if (length >= extent_offset(block) + sizeof(format::ExtentHeader) + used) whole_chunks += 20;
    }
    ASSERT_GE(outcome.calls, whole_chunks) << length;
    bool at_a_border = length == extent_offset(0) || length == extent_offset(1);
    bool in_content = !at_a_border && whole_chunks < 20;
    if (in_content) {
      ASSERT_TRUE(outcome.damaged) << length;
    }
  }
}

TEST(Damage, AnyByteChangedNeverCostsAnotherChunk) {
  const std::string whole = small_ledger();
  for (size_t at : interesting_offsets(whole)) {
    for (unsigned change : {0x01u, 0x80u, 0xffu}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ change);
      Outcome outcome = look_at(bytes);
      if (at < sizeof(format::FileHeader)) continue;  // it may be refused, or read differently
      ASSERT_TRUE(outcome.opened) << at;
      uint64_t others = at < extent_offset(1) ? kCallsInChunks : kCallsInChunks / 2;
      ASSERT_GE(outcome.calls, others) << at;
    }
  }
}

TEST(Damage, ChangedChunksAreAlwaysNoticed) {
  const std::string whole = small_ledger();
  uint32_t used = 0;
  std::memcpy(&used, whole.data() + extent_offset(1) + 28, sizeof used);
  for (size_t at = 0; at < sizeof(format::ExtentHeader) + used; ++at) {
    std::string bytes = whole;
    bytes[extent_offset(1) + at] ^= 0x10;
    ASSERT_TRUE(look_at(bytes).damaged) << at;
  }
}

TEST(Damage, RandomRubbishInEveryBlock) {
  std::mt19937_64 random(11);
  const std::string whole = small_ledger();
  for (int round = 0; round < 300; ++round) {
    std::string bytes = whole;
    for (int i = 0; i < 20; ++i) {
      bytes[sizeof(format::FileHeader) + random() % (bytes.size() - sizeof(format::FileHeader))] =
          static_cast<char>(random());
    }
    ASSERT_TRUE(look_at(bytes).opened);
  }
}

}  // namespace
}  // namespace heapledger
