// What was live at any time, through the checkpoints of a sealed ledger, is what a scan from the
// beginning says, and little of the file is read for it.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>

#include "analyzer/query.h"
#include "analyzer/seal/live_scan.h"
#include "counting_source.h"
#include "ledger_builder.h"
#include "seal_bytes.h"

namespace heapledger {
namespace {

using test::CountingSource;
using test::LedgerBuilder;

constexpr uint64_t kEnd = 30 * 200'000;

using Block = std::tuple<uint64_t, uint64_t, uint64_t, uint32_t, uint32_t>;
using Live = std::map<uint64_t, Block>;

// A long history, and with it, written down by the test itself, what is live at some times.
struct History {
  std::string bytes;
  std::map<uint64_t, Live> live_at;
};

History make_history(unsigned seed, unsigned windows) {
  std::mt19937_64 random(seed);
  LedgerBuilder ledger;
  History history;
  Live live;
  for (unsigned i = 0; i < 200'000; ++i) {
    const uint64_t time = 30 * i;
    auto number = static_cast<uint32_t>(random() % windows);
    auto& window = ledger.window(number);
    auto site = static_cast<uint32_t>(random() % 1000);
    // Some sites are described before they are used, some after, some never; some twice.
    if (random() % 100 == 0 && site > 0) window.site(time, site, 0, 0, 0x1000 + site / 2);
    const uint64_t units = test::kStartTicks + time;
    if (live.size() < 300 || random() % 2 == 0) {
      uint64_t address = 0x7000'0000 + 16 * (random() % 100'000);
      if (live.count(address) != 0) continue;
      uint64_t size = random() % 1000;
      window.malloc(time, address, size, site);
      live[address] = {address, size, units, site, number};
    } else {
      auto victim = live.lower_bound(0x7000'0000 + 16 * (random() % 100'000));
      if (victim == live.end()) victim = live.begin();
      if (random() % 8 == 0) {
        uint64_t size = random() % 5000;
        uint64_t address = victim->first;  // it could stay where it was
        window.resize(time, address, time + 20, address, size, site);
        victim->second = {address, size, units + 20, site, number};
      } else {
        window.free(time, victim->first);
        live.erase(victim);
      }
    }
    if (random() % 2000 == 0) history.live_at[units + 25] = live;
    if (random() % 500 == 0) window.flush();
  }
  history.bytes = ledger.bytes();
  return history;
}

Live as_map(const std::vector<LiveBlock>& blocks) {
  Live live;
  for (const LiveBlock& block : blocks) {
    live[block.address] = {block.address, block.size, block.time, block.account, block.thread};
  }
  return live;
}

seal::SealOptions frequent() {
  seal::SealOptions options;
  options.checkpoints.entries = 5000;
  options.checkpoints.entries_per_block = 8;
  return options;
}

TEST(SealCheckpoint, LiveAtAnyTimeIsWhatTheHistorySays) {
  for (unsigned windows : {1u, 4u}) {
    const History history = make_history(windows, windows);
    seal::SealFacts facts;
    const std::string sealed = test::sealed(history.bytes, frequent(), &facts);
    ASSERT_GT(facts.checkpoints, 5u);
    ASSERT_GT(history.live_at.size(), 50u);
    for (const auto& [time, live] : history.live_at) {
      LedgerFile file(in_memory("sealed", sealed));
      ASSERT_EQ(as_map(seal::live_at(file, time)), live) << time;
    }
  }
}

TEST(SealCheckpoint, TheSameAsFromTheBeginningAtRandomTimes) {
  const History history = make_history(99, 6);
  const std::string sealed = test::sealed(history.bytes, frequent());
  std::mt19937_64 random(5);
  for (int i = 0; i < 60; ++i) {
    const uint64_t time = test::kStartTicks + random() % kEnd;
    LedgerFile raw(in_memory("raw", history.bytes));
    LedgerFile file(in_memory("sealed", sealed));
    ASSERT_EQ(as_map(seal::live_at(file, time)), as_map(seal::live_at(raw, time))) << time;
  }
}

using Facts = std::tuple<uint64_t, uint64_t, std::vector<Block>, std::vector<uint64_t>>;

// All that the checkpoints of a sealed ledger say, with sites as the stacks that they stand for.
std::vector<Facts> checkpoints_in(const std::string& sealed) {
  LedgerFile file(in_memory("sealed", sealed));
  std::vector<Facts> all;
  for (uint64_t before = UINT64_MAX;;) {
    std::optional<seal::Checkpoint> found = file.checkpoint_before(before);
    if (!found) break;
    std::vector<Block> blocks;
    for (const LiveBlock& block : found->blocks) {
      // Of two sites with the same stack either will do.
      blocks.emplace_back(block.address, block.size, block.time, block.account / 2, block.thread);
    }
    std::vector<uint64_t> recent;
    for (const RecentDeath& death : found->recent) {
      recent.insert(recent.end(), {death.address, death.time, death.thread});
    }
    all.emplace_back(found->time, found->entries, blocks, recent);
    before = found->time - 1;
  }
  return all;
}

TEST(SealCheckpoint, ThoseOfTheOverviewAreThoseOfAScanOfTheirOwn) {
  for (unsigned windows : {1u, 4u}) {
    const History history = make_history(40 + windows, windows);
    seal::SealFacts own_facts, facts;
    const std::string own = test::sealed(history.bytes, frequent(), &own_facts);
    Options reading;
    reading.checkpoints = frequent().checkpoints;
    std::vector<Ledgers::Opener> opener = {[&] { return in_memory("raw", history.bytes); }};
    Ledgers ledgers(std::move(opener), reading);
    seal::SealOptions options;
    options.scanned = [&]() -> seal::Scanned {
      return {{}, ledgers.facts()[0].entries, ledgers.take_checkpoints(0)};
    };
    const std::string by_overview = test::sealed(history.bytes, options, &facts);
    EXPECT_EQ(facts.entries, own_facts.entries);
    EXPECT_EQ(facts.checkpoints, own_facts.checkpoints);
    const std::vector<Facts> expected = checkpoints_in(own);
    const std::vector<Facts> found = checkpoints_in(by_overview);
    ASSERT_GT(expected.size(), 5u);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], expected[i]) << i;
  }
}

TEST(SealCheckpoint, LittleOfTheFileIsRead) {
  const History history = make_history(7, 2);
  const std::string sealed = test::sealed(history.bytes, frequent());
  uint64_t most = 0;
  for (const auto& [time, live] : history.live_at) {
    uint64_t count = 0;
    LedgerFile file(std::make_unique<CountingSource>(sealed, count));
    ASSERT_EQ(seal::live_at(file, time).size(), live.size());
    most = std::max(most, count);
  }
  EXPECT_LT(most, sealed.size() * 6 / 10);
  uint64_t late = 0;
  LedgerFile file(std::make_unique<CountingSource>(sealed, late));
  seal::live_at(file, history.live_at.rbegin()->first);
  EXPECT_LT(late, sealed.size() / 2);
}

TEST(SealCheckpoint, ARawLedgerHasNone) {
  const History history = make_history(7, 2);
  LedgerFile raw(in_memory("raw", history.bytes));
  EXPECT_FALSE(raw.checkpoint_before(UINT64_MAX).has_value());
}

TEST(SealCheckpoint, ThereAndBack) {
  seal::Checkpoint checkpoint;
  checkpoint.time = 1000;
  checkpoint.entries = 77;
  checkpoint.blocks = {{16, 5, 1, 3, 0}, {0x7fff'ffff'0008, UINT64_MAX, 1000, UINT32_MAX, 9}};
  checkpoint.recent = {{64, 900, 2}};
  seal::Compressor compressor(3);
  seal::Bytes bytes = encode_checkpoint(checkpoint, compressor);
  auto again = seal::decode_checkpoint(bytes);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->time, 1000u);
  EXPECT_EQ(again->entries, 77u);
  EXPECT_EQ(as_map(again->blocks), as_map(checkpoint.blocks));
  ASSERT_EQ(again->recent.size(), 1u);
  EXPECT_EQ(again->recent[0].address, 64u);
  EXPECT_EQ(again->recent[0].time, 900u);
  for (size_t cut = 0; cut < bytes.size(); ++cut) {
    EXPECT_FALSE(seal::decode_checkpoint(std::span(bytes).first(cut)).has_value()) << cut;
  }
}

}  // namespace
}  // namespace heapledger
