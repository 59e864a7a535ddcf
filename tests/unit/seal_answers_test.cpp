// A sealed ledger says exactly what the raw one says: every payload byte for byte, every note of
// damage.
#include <gtest/gtest.h>

#include <random>

#include "analyzer/error.h"
#include "example_ledger.h"
#include "ledger_builder.h"
#include "seal_bytes.h"

namespace heapledger {
namespace {

using format::Kind;
using test::Contents;
using test::contents;
using test::extent_offset;
using test::LedgerBuilder;
using test::sealed;

void expect_same(const std::string& raw) {
  const Contents before = contents(raw);
  const Contents after = contents(sealed(raw));
  EXPECT_EQ(before.header, after.header);
  EXPECT_EQ(before.counts, after.counts);
  EXPECT_EQ(before.problems, after.problems);
  EXPECT_TRUE(before.fillings == after.fillings);
  EXPECT_TRUE(before.merged == after.merged);
}

// Any calls at all, by several threads, with blocks that die elsewhere.
LedgerBuilder random_ledger(unsigned seed, unsigned windows, unsigned calls) {
  std::mt19937_64 random(seed);
  LedgerBuilder ledger;
  std::vector<uint64_t> live;
  for (unsigned i = 0; i < calls; ++i) {
    auto& window = ledger.window(static_cast<uint32_t>(random() % windows));
    uint64_t time = 10 * i + random() % 200;
    uint64_t address = 0x5000'0000 + 16 * (random() % 4000) + (random() % 50 == 0 ? 8 : 0);
    uint64_t size = random() % 20 == 0 ? random() >> (random() % 64) : random() % 500;
    auto site = static_cast<uint32_t>(random() % 300);
    size_t victim = live.empty() ? 0 : random() % live.size();
    switch (random() % 16) {
      case 0:
        window.site(time, i, i / 2, 1, 0x40'0000 + random() % 100'000);
        window.code(time, i + 1, 1, 0x40'0000 + random() % 100'000);
        window.chain(time, 1'000'000 + 3 * i, i / 2, {i + 1, i / 3 + 1, i / 4 + 1});
        break;
      case 1:
        window.allocate(Kind::kCalloc, time, address, size, site);
        if (random() % 2 == 0) window.calloc_at_once(address + 0x1000'0000, size, site);
        live.push_back(address);
        break;
      case 2:
        window.aligned(Kind::kPosixMemalign, time, address, size, 64, site);
        live.push_back(address);
        break;
      case 3:
        if (live.empty()) break;
        window.resize(time, live[victim], time + random() % 100, address, size, site);
        live[victim] = address;
        break;
      case 4:
        window.info(time, format::InfoKey::kHost, std::string(random() % 40, 'h'));
        break;
      case 5:
        window.unknown_kind(time, "something later");
        break;
      case 6:
        window.thread(time, static_cast<uint32_t>(random() % 5), 100, "worker");
        break;
      case 7:
        window.free_by(Kind::kFreeSized, time, address);
        break;
      case 8:
      case 9:
      case 10:
      case 11:
        window.malloc(time, address, size, site);
        live.push_back(address);
        break;
      default:
        if (live.empty()) break;
        window.free(time, live[victim]);
        live.erase(live.begin() + static_cast<ptrdiff_t>(victim));
    }
    if (random() % 400 == 0) window.flush();
  }
  return ledger;
}

TEST(SealAnswers, TheExample) {
  expect_same(test::example_ledger());
  expect_same(test::example_child());
}

TEST(SealAnswers, ALedgerWithoutAnEntry) {
  expect_same(LedgerBuilder().bytes());
}

TEST(SealAnswers, AnyHistory) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    expect_same(random_ledger(seed, 1 + seed % 5, 8000).bytes());
  }
}

TEST(SealAnswers, ManyWindows) {
  expect_same(random_ledger(77, 1500, 20'000).bytes());
}

TEST(SealAnswers, HolesMissedEntriesAndFacts) {
  LedgerBuilder ledger = random_ledger(3, 2, 500);
  ledger.hole();
  ledger.window(1).set_missed(7);
  ledger.header.exit_ticks = 0;
  ledger.header.stop_reason = 1;
  ledger.header.missed = 3;
  expect_same(ledger.bytes());
}

TEST(SealAnswers, DamageStaysKnown) {
  const std::string whole = random_ledger(5, 3, 12'000).bytes();
  std::mt19937_64 random(9);
  unsigned noted = 0;
  for (int round = 0; round < 60; ++round) {
    std::string raw = whole;
    for (int i = 0; i < 3; ++i) {
      size_t block = random() % ((raw.size() - extent_offset(0)) / format::kExtentBytes);
      size_t at = extent_offset(block) + random() % 2000;
      if (at < raw.size()) raw[at] = static_cast<char>(random());
    }
    if (round % 4 == 0) raw.resize(extent_offset(1) + random() % (raw.size() - extent_offset(1)));
    SCOPED_TRACE(round);
    expect_same(raw);
    noted += contents(raw).problems.empty() ? 0 : 1;
  }
  EXPECT_GT(noted, 30u);
}

TEST(SealAnswers, EntriesThatOurEncoderWouldWriteDifferently) {
  LedgerBuilder ledger;
  ledger.window(0).malloc(1, 0x1000, 10, 1).free(2, 0x1000);
  std::string raw = ledger.bytes();
  // A free whose pointer, 0x2000 behind 0x1000, takes four bytes where two would do.
  const size_t end = extent_offset(0) + sizeof(format::ExtentHeader) + ledger.window(0).used();
  const uint64_t folded = format::fold_pointer(0x2000, 0x1000);
  const auto word = static_cast<uint32_t>(folded << 4 | 8);
  raw[end] = static_cast<char>(format::make_tag(format::kShapeFree, 5));
  std::memcpy(&raw[end + 1], &word, sizeof word);
  ASSERT_EQ(contents(raw).merged.size(), 4u);
  EXPECT_EQ(std::get<4>(contents(raw).merged.back()), 0x2000u);
  expect_same(raw);
}

TEST(SealAnswers, SymbolsComeBack) {
  seal::SealOptions options;
  options.symbols = "main main.cpp 3\n";
  const std::string raw = test::example_ledger();
  LedgerFile with(in_memory("with", sealed(raw, options)));
  LedgerFile without(in_memory("without", sealed(raw)));
  LedgerFile never(in_memory("never", raw));
  EXPECT_EQ(with.stored_symbols(), options.symbols);
  EXPECT_EQ(without.stored_symbols(), std::nullopt);
  EXPECT_EQ(never.stored_symbols(), std::nullopt);
  options.symbols = std::string(3'000'000, 'a');  // compresses better than we let it
  LedgerFile regular(in_memory("regular", sealed(raw, options)));
  EXPECT_EQ(regular.stored_symbols(), options.symbols);
}

TEST(SealAnswers, NotesAreReadAlone) {
  const std::string raw = random_ledger(21, 3, 6000).bytes();
  using Note = std::tuple<uint32_t, unsigned, uint64_t>;
  std::vector<Note> expected;
  for (const auto& entry : contents(raw).merged) {
    if (std::get<1>(entry) < format::kFirstLongKind || std::get<1>(entry) >= 100) continue;
    expected.emplace_back(std::get<0>(entry), std::get<1>(entry), std::get<2>(entry));
  }
  ASSERT_GT(expected.size(), 500u);
  const uint64_t half = std::get<2>(expected[expected.size() / 2]);
  std::erase_if(expected, [half](const Note& note) { return std::get<2>(note) > half; });
  LedgerFile file(in_memory("x", sealed(raw)));
  std::vector<Note> found;
  EXPECT_TRUE(file.for_each_note(half, [&](uint32_t window, uint32_t, const format::Entry& entry) {
    found.emplace_back(window, static_cast<unsigned>(entry.kind), entry.time);
  }));
  std::sort(expected.begin(), expected.end());
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, expected);
}

TEST(SealAnswers, IsAFractionOfTheRawLedger) {
  LedgerBuilder ledger;
  auto& window = ledger.window(0);
  for (uint64_t i = 0; i < 100'000; ++i) {
    window.malloc(10 * i, 0x10000 + 64 * (i % 50), 40, 7).free(10 * i + 5, 0x10000 + 64 * (i % 50));
  }
  const std::string raw = ledger.bytes();
  EXPECT_LT(sealed(raw).size(), raw.size() / 100);
}

TEST(SealAnswers, ASealedLedgerIsNotSealedAgain) {
  const std::string once = sealed(test::example_ledger());
  EXPECT_THROW(sealed(once), Error);
}

}  // namespace
}  // namespace heapledger
