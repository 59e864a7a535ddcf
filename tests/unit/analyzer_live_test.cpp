// Ledgers that change while they are read, as those of running programs do.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "analyze_bytes.h"
#include "ledger_builder.h"

namespace heapledger {
namespace {

using test::Analysis;
using test::analysis_of;
using test::LedgerBuilder;

// Shows one content while the ledger is indexed and another one from the first whole block on.
class ChangingSource final : public ByteSource {
 public:
  ChangingSource(std::string before, std::string after)
      : before_(std::move(before)), after_(std::move(after)) {}

  const std::string& name() const override { return name_; }
  uint64_t size() override { return now().size(); }
  size_t read(uint64_t offset, void* to, size_t count) override {
    if (count == format::kExtentBytes) changed_ = true;
    if (offset >= now().size()) return 0;
    return now().copy(static_cast<char*>(to), count, offset);
  }

 private:
  const std::string& now() const { return changed_ ? after_ : before_; }

  std::string name_ = "live.ledger";
  std::string before_;
  std::string after_;
  bool changed_ = false;
};

Analysis analyze_changing(const std::string& before, const std::string& after) {
  std::vector<Ledgers::Opener> openers;
  openers.emplace_back([&] { return std::make_unique<ChangingSource>(before, after); });
  Ledgers ledgers(std::move(openers), {});
  return analysis_of(ledgers);
}

TEST(Live, EntriesThatArriveMeanwhileAreWelcome) {
  LedgerBuilder ledger;
  ledger.window(0).malloc(1, 0x1000, 10);
  std::string before = ledger.bytes();
  ledger.window(0).malloc(2, 0x2000, 10);
  Analysis a = analyze_changing(before, ledger.bytes());
  EXPECT_EQ(a.totals.calls, 2u);
  EXPECT_TRUE(a.complete());
}

// Two threads, one of which is read a while after the other.
LedgerBuilder busy_until(uint64_t time) {
  LedgerBuilder ledger;
  ledger.header.latest[1] = {ledger.header.start.ticks + 100,
                             ledger.header.start.monotonic_ns + 100, 0};
  for (uint64_t t = 1; t <= time; ++t) {
    ledger.window(t % 2 == 0 ? 0 : 1).malloc(t, 0x1000 * t, 1);
  }
  return ledger;
}

TEST(Live, WhatCameAfterTheOpeningIsLeftOut) {
  Analysis a = analyze_changing(busy_until(120).bytes(), busy_until(500).hole().bytes());
  EXPECT_EQ(a.totals.calls, 100u);  // up to the last sign of life in the header
  EXPECT_TRUE(a.ledgers[0].still_running);
  EXPECT_FALSE(a.damaged());
}

TEST(Live, WhatAKilledProgramDidLastIsNot) {
  std::string bytes = busy_until(120).bytes();
  Analysis a = analyze_changing(bytes, bytes);
  EXPECT_EQ(a.totals.calls, 120u);
  EXPECT_FALSE(a.ledgers[0].still_running);
}

TEST(Live, AWindowEmptiedMeanwhileIsFoundInItsChunk) {
  LedgerBuilder ledger;
  ledger.window(0).malloc(1, 0x1000, 10).malloc(2, 0x2000, 10);
  std::string before = ledger.bytes();
  ledger.window(0).flush().malloc(3, 0x3000, 10);
  Analysis a = analyze_changing(before, ledger.bytes());
  EXPECT_EQ(a.totals.calls, 2u);
  EXPECT_TRUE(a.complete());
}

TEST(Live, TheChunkMayHaveFilledAHole) {
  LedgerBuilder ledger;
  ledger.window(0).malloc(1, 0x1000, 10).malloc(2, 0x2000, 10);
  std::string before = ledger.hole().bytes();
  LedgerBuilder later;
  later.window(0).malloc(1, 0x1000, 10).malloc(2, 0x2000, 10).flush();
  Analysis a = analyze_changing(before, later.bytes());
  EXPECT_EQ(a.totals.calls, 2u);
  EXPECT_TRUE(a.complete());
}

// Caught between writing the chunk and finishing to clear the window.
TEST(Live, AWindowBeingClearedIsFoundInItsChunk) {
  LedgerBuilder ledger;
  ledger.window(0).malloc(1, 0x1000, 10).malloc(2, 0x2000, 10);
  std::string before = ledger.bytes();
  ledger.window(0).flush();
  std::string after = before + ledger.bytes().substr(test::extent_offset(1));
  after.replace(test::extent_offset(0) + sizeof(format::ExtentHeader), 5, 5, '\0');
  Analysis a = analyze_changing(before, after);
  EXPECT_EQ(a.totals.calls, 2u);
  EXPECT_TRUE(a.complete());
}

TEST(Live, AFileThatShrinksMeanwhileIsCut) {
  LedgerBuilder ledger;
  ledger.window(0).malloc(1, 0x1000, 10).flush();
  std::string before = ledger.bytes();
  Analysis a = analyze_changing(before, before.substr(0, 5000));
  EXPECT_TRUE(a.damaged());
}

}  // namespace
}  // namespace heapledger
