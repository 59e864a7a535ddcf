// Calls in an order in which they can be done again.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "analyzer/error.h"
#include "heap_history.h"
#include "query_bytes.h"

namespace heapledger {
namespace {

using format::Kind;
using test::HeapHistory;
using test::HistoryCall;
using test::HistoryOptions;
using test::LedgerBuilder;
using test::open_bytes;
using What = Operation::What;

struct Told {
  std::vector<Operation> operations;
  LeftOut left_out;
  uint64_t live_bytes = 0;
  uint64_t live_blocks = 0;
  uint64_t peak_bytes = 0;
  LedgerFacts facts;

  uint64_t count(What what) const {
    uint64_t sum = 0;
    for (const Operation& operation : operations) sum += operation.what == what ? 1 : 0;
    return sum;
  }
};

// Plays the operations against a table of blocks, and expects that all of it is possible.
Told tell(Ledgers ledgers, uint32_t ledger = 0) {
  Told told;
  std::map<BlockNumber, uint64_t> live;
  told.left_out = ledgers.operations(ledger, [&](const Operation& operation) {
    told.operations.push_back(operation);
    if (operation.old_block != kNoBlock) {
      auto found = live.find(operation.old_block);
      ASSERT_NE(found, live.end()) << "freed before it was allocated, or twice";
      EXPECT_EQ(found->second, operation.old_size);
      told.live_bytes -= found->second;
      live.erase(found);
    }
    if (operation.block != kNoBlock) {
      EXPECT_TRUE(live.emplace(operation.block, operation.size).second) << "a number twice";
      told.live_bytes += operation.size;
    }
    told.peak_bytes = std::max(told.peak_bytes, told.live_bytes);
  });
  told.live_blocks = live.size();
  told.facts = ledgers.facts().at(ledger);
  EXPECT_EQ(told.live_bytes, told.facts.totals.end_bytes);
  EXPECT_EQ(told.live_blocks, told.facts.totals.end_blocks);
  // A free that could not wait for its block is left out, and the block is freed as if that were
  // missing.
  const Totals& totals = told.facts.totals;
  EXPECT_GE(told.count(What::kFreeLost), totals.lost_frees);
  EXPECT_EQ(
      told.count(What::kFreeLost) - totals.lost_frees,
      told.left_out.unknown_frees + told.count(What::kResizeUnknown) - totals.unmatched_frees);
  return told;
}
Told tell(LedgerBuilder& ledger) {
  return tell(open_bytes({ledger.bytes()}));
}

using Call = std::tuple<Kind, uint64_t, bool>;  // function, size if it allocates, and failure

std::vector<std::vector<Call>> calls_by_thread(const HeapHistory& history, uint32_t threads) {
  std::vector<std::vector<Call>> calls(threads);
  for (const HistoryCall& call : history.calls()) {
    if (call.is_unknown && call.size == 0) continue;
    calls[call.thread].emplace_back(call.kind, call.size, call.fails);
  }
  return calls;
}

std::vector<std::vector<Call>> calls_by_thread(const Told& told, uint32_t threads) {
  std::vector<std::vector<Call>> calls(threads);
  for (const Operation& operation : told.operations) {
    if (operation.what == What::kFreeLost) continue;
    const bool frees = operation.what == What::kFree || operation.what == What::kFreeNull;
    calls.at(operation.thread)
        .emplace_back(operation.kind, frees ? 0 : operation.size, operation.what == What::kFailed);
  }
  return calls;
}

TEST(Operations, AreTheCallsInTheirOrder) {
  HistoryOptions options;
  HeapHistory history(options);
  Told told = tell(open_bytes({history.bytes()}));
  ASSERT_EQ(told.operations.size(), history.calls().size());
  uint64_t live = 0;
  for (size_t i = 0; i < told.operations.size(); ++i) {
    const Operation& operation = told.operations[i];
    const HistoryCall& call = history.calls()[i];
    ASSERT_EQ(operation.kind, call.kind) << i;
    EXPECT_EQ(operation.thread, call.thread);
    EXPECT_EQ(operation.old_size, call.old_size);
    EXPECT_EQ(operation.what == What::kFailed, call.fails);
    EXPECT_EQ(operation.what == What::kFreeNull, call.is_null);
    if (call.size != 0) {
      EXPECT_EQ(operation.size, call.size);
    }
    if (operation.block != kNoBlock) live += operation.size;
    live -= operation.old_size;
    ASSERT_EQ(live, call.live_bytes) << i;
  }
  EXPECT_EQ(told.left_out.unknown_frees, 0u);
  EXPECT_EQ(told.peak_bytes, told.facts.totals.peak_bytes);
}

TEST(Operations, AnyHistoryKeepsItsThreadsInOrder) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    HistoryOptions options;
    options.seed = seed;
    options.threads = static_cast<uint32_t>(1 + seed % 7);
    options.calls = 3000;
    options.too_early_ns = seed % 3 == 0 ? 0 : 400;
    options.keep_unused = 1000;  // longer than stamps are wrong
    options.resizes_in_place = options.too_early_ns == 0;
    options.has_unknown = seed % 2 == 0;
    HeapHistory history(options);
    Told told = tell(open_bytes({history.bytes()}));
    EXPECT_EQ(calls_by_thread(told, options.threads), calls_by_thread(history, options.threads));
    uint64_t unknown = 0;
    for (const HistoryCall& call : history.calls()) unknown += call.is_unknown ? 1 : 0;
    EXPECT_EQ(told.left_out.unknown_frees + told.count(What::kResizeUnknown), unknown);
    EXPECT_EQ(told.count(What::kFreeLost), 0u);
  }
}

// Addresses that are used again at once, with stamps that are too early: some frees cannot be told
// apart, and may change places; a few are left out, where it cannot be known what they freed.
TEST(Operations, HardlyACallIsLostWhenAddressesAreUsedAgainAtOnce) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    HistoryOptions options;
    options.seed = seed;
    options.threads = static_cast<uint32_t>(2 + seed % 6);
    options.calls = 4000;
    options.too_early_ns = 300;
    options.loses = seed % 2 == 0;
    options.has_unknown = seed % 3 == 0;
    HeapHistory history(options);
    Told told = tell(open_bytes({history.bytes()}));
    auto expected = calls_by_thread(history, options.threads);
    auto actual = calls_by_thread(told, options.threads);
    uint64_t unknown = 0;
    for (const HistoryCall& call : history.calls()) {
      unknown += call.is_unknown && call.size == 0 ? 1 : 0;
    }
    size_t missing = 0;
    for (uint32_t thread = 0; thread < options.threads; ++thread) {
      std::multiset<Call> left(expected[thread].begin(), expected[thread].end());
      for (const Call& call : actual[thread]) {
        auto found = left.find(call);
        ASSERT_NE(found, left.end()) << "a call that nobody made";
        left.erase(found);
      }
      missing += left.size();
    }
    EXPECT_EQ(missing + unknown, told.left_out.unknown_frees);
    if (!options.loses && !options.has_unknown) {
      EXPECT_LE(missing, history.calls().size() / 500);
    }
  }
}

TEST(Operations, ABirthThatIsStampedTooLateComesBeforeItsFree) {
  LedgerBuilder ledger;
  ledger.window(0).malloc(100, 0x1000, 1).malloc(1300, 0x2000, 2).malloc(1400, 0x3000, 3);
  ledger.window(1).malloc(200, 0x4000, 4).free(1200, 0x3000).free(1210, 0x4000);
  Told told = tell(ledger);
  std::vector<uint64_t> sizes;
  for (const Operation& operation : told.operations) sizes.push_back(operation.size);
  EXPECT_EQ(sizes, (std::vector<uint64_t>{1, 4, 2, 3, 3, 4}));
  EXPECT_EQ(told.operations[4].what, What::kFree);
  EXPECT_EQ(told.operations[4].thread, 1u);
  EXPECT_EQ(told.operations[4].time_ns, 1200u);
}

// Both threads free at one address at nearly the same time, and the stamps are the wrong way round:
// the first free of window 0 is taken for that of the block which it allocates afterwards.
TEST(Operations, FreesThatWereMixedUpAreStillDone) {
  LedgerBuilder ledger;
  ledger.window(0).malloc(100, 0x1000, 1).free(5010, 0x1000).malloc(5020, 0x1000, 2);
  ledger.window(1).malloc(50, 0x9000, 9).free(5000, 0x1000);
  Told told = tell(ledger);
  EXPECT_EQ(told.count(What::kFree), 2u);
  EXPECT_EQ(told.count(What::kAllocate), 3u);
  EXPECT_EQ(told.left_out.unknown_frees, 0u);
  EXPECT_EQ(told.live_bytes, 9u);
}

TEST(Operations, AResizeMayGoOnWhileOthersWork) {
  LedgerBuilder ledger;
  ledger.window(0).malloc(1, 0x1000, 10).resize(10, 0x1000, 900'000'000, 0x2000, 40);
  for (uint64_t i = 0; i < 200'000; ++i) {
    ledger.window(1).malloc(20 + 100 * i, 0x5000, 7).free(50 + 100 * i, 0x5000);
  }
  ledger.window(1).free(900'001'000, 0x2000);
  Told told = tell(ledger);
  ASSERT_EQ(told.operations.size(), 400'003u);
  EXPECT_EQ(told.operations[1].what, What::kResize);
  EXPECT_EQ(told.operations[1].time_ns, 10u);
  EXPECT_EQ(told.operations.back().what, What::kFree);
  EXPECT_EQ(told.operations.back().old_size, 40u);
}

TEST(Operations, BlocksNobodySawBornOrFreed) {
  LedgerBuilder ledger;
  ledger.window(0)
      .malloc(10, 0x1000, 100)
      .free(20, 0x9000)                     // unknown
      .resize(30, 0x8000, 31, 0x2000, 50)   // likewise
      .malloc(40, 0x1000, 7)                // the free of the first is missing
      .resize(50, 0x2000, 51, 0x1000, 60);  // and now that of the second
  Told told = tell(ledger);
  EXPECT_EQ(told.left_out.unknown_frees, 1u);
  std::vector<What> whats;
  for (const Operation& operation : told.operations) whats.push_back(operation.what);
  EXPECT_EQ(std::count(whats.begin(), whats.end(), What::kFreeLost), 2);
  EXPECT_EQ(std::count(whats.begin(), whats.end(), What::kResizeUnknown), 1);
  EXPECT_EQ(std::count(whats.begin(), whats.end(), What::kResize), 1);
  EXPECT_EQ(told.live_bytes, 60u);
}

TEST(Operations, NumbersAreUsedAgainTheLastOneFirst) {
  LedgerBuilder ledger;
  ledger.window(0).malloc(1, 0x1000, 1).malloc(2, 0x2000, 2).malloc(3, 0x3000, 3);
  ledger.window(0).free(4, 0x1000).free(5, 0x3000).malloc(6, 0x4000, 4).malloc(7, 0x5000, 5);
  Told told = tell(ledger);
  EXPECT_EQ(told.operations[5].block, told.operations[2].block);
  EXPECT_EQ(told.operations[6].block, told.operations[0].block);
}

TEST(Operations, OneOfSeveralLedgers) {
  HistoryOptions options;
  options.calls = 500;
  HeapHistory first(options);
  options.seed = 2;
  options.calls = 300;
  HeapHistory second(options);
  Told told = tell(open_bytes({first.bytes(), second.bytes()}), 1);
  EXPECT_EQ(told.operations.size(), second.calls().size());
  Ledgers ledgers = open_bytes({first.bytes()});
  EXPECT_THROW(ledgers.operations(1, [](const Operation&) {}), Error);
}

// Everything at one instant, in ways that no program can do: whatever is told has to be possible.
TEST(Operations, SenselessLedgersComeToAnEnd) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    LedgerBuilder ledger;
    std::vector<uint64_t> times(5, 100);
    const int calls = seed == 1 ? 200'000 : 4000;
    for (int i = 0; i < calls; ++i) {
      const auto thread = static_cast<uint32_t>(random() % times.size());
      if (seed > 1 && seed % 2 == 0) times[thread] += random() % 50;
      auto address = [&random] { return 0x1000 + 0x100 * (random() % 12); };
      test::WindowBuilder& to = ledger.window(thread);
      const uint64_t now = times[thread];
      switch (random() % 4) {
        case 0:
          to.malloc(now, address(), random() % 100);
          break;
        case 1:
        case 2:
          to.free(now, address());
          break;
        default:
          to.resize(now, address(), now, address(), random() % 100);
      }
    }
    Told told = tell(ledger);
    EXPECT_LE(told.operations.size(), static_cast<size_t>(2 * calls));
  }
}

}  // namespace
}  // namespace heapledger
