// Ledgers that change while they are read, as those of running programs do.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "analyzer/analysis.h"
#include "ledger_builder.h"

namespace heapledger {
namespace {

using test::LedgerBuilder;

// Shows one content while the ledger is indexed and another one from the first whole block on.
class ChangingSource final : public ByteSource {
 public:
  ChangingSource(std::string before, std::string after)
      : before_(std::move(before)), after_(std::move(after)) {}

  const std::string& name() const override { return name_; }
  uint64_t size() override { return now().size(); }
  size_t read(uint64_t offset, void* to, size_t count) override {
    if (count == format::kBlockBytes) changed_ = true;
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
  std::vector<std::unique_ptr<ByteSource>> sources;
  sources.push_back(std::make_unique<ChangingSource>(before, after));
  return analyze_sources(std::move(sources), {});
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
  std::string after = before + ledger.bytes().substr(test::block_offset(1));
  after.replace(test::block_offset(0) + sizeof(format::BlockHeader), 5, 5, '\0');
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
