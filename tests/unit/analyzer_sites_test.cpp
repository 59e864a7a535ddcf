// Sites and what describes them: modules that come and go, descriptions that come late or never.
#include <gtest/gtest.h>

#include "analyze_bytes.h"
#include "ledger_builder.h"

namespace heapledger {
namespace {

using test::Analysis;
using test::analyze_bytes;
using test::Group;
using test::LedgerBuilder;

TEST(Sites, NamedByModuleAndOffset) {
  LedgerBuilder ledger;
  ledger.window(0)
      .module(0, 1, 0x7000, 0x9000, 0x7000, "", "/usr/lib/libfoo.so.1")
      .site(0, 1, 0, 1, 0x7abc)
      .malloc(1, 0x1000, 1, 1);
  Analysis a = analyze_bytes(ledger.bytes());
  std::vector<NamedFrame> frames = a.frames(a.groups.at(0));
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].name, "libfoo.so.1+0xabc");
  EXPECT_EQ(frames[0].pc, 0x7abcu);
}

TEST(Sites, WithoutAModuleTheAddressIsTheName) {
  LedgerBuilder ledger;
  ledger.window(0).site(0, 1, 0, 0, 0xdeadbeef).malloc(1, 0x1000, 1, 1);
  Analysis a = analyze_bytes(ledger.bytes());
  EXPECT_EQ(a.frames(a.groups.at(0)).at(0).name, "0xdeadbeef");
  EXPECT_EQ(a.frames(a.groups.at(0)).at(0).module, "");
}

TEST(Sites, ParentsAreOuterFrames) {
  LedgerBuilder ledger;
  ledger.window(0)
      .site(0, 1, 0, 0, 0x10)
      .site(0, 2, 1, 0, 0x20)
      .site(0, 3, 2, 0, 0x30)
      .malloc(1, 0x1000, 1, 3);
  Analysis a = analyze_bytes(ledger.bytes());
  std::vector<NamedFrame> frames = a.frames(a.groups.at(0));
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[0].pc, 0x30u);
  EXPECT_EQ(frames[2].pc, 0x10u);
}

std::vector<std::string> names_of(const Analysis& a, const Group& group) {
  std::vector<std::string> names;
  for (const NamedFrame& frame : a.frames(group)) names.push_back(frame.name);
  return names;
}

TEST(Sites, AChainIsARunOfFramesFromTheOutsideIn) {
  LedgerBuilder ledger;
  ledger.window(0)
      .module(0, 1, 0x7000, 0x9000, 0x7000, "", "/x")
      .code(0, 1, 1, 0x7010)
      .code(0, 2, 1, 0x7020)
      .code(0, 3, 0, 0x30)
      .chain(0, 1, 0, {1, 2, 3})
      .chain(0, 4, 2, {2, 1})  // branches off below the second frame
      .malloc(1, 0x1000, 30, 3)
      .malloc(2, 0x2000, 50, 5)
      .malloc(3, 0x3000, 2, 2);
  Analysis a = analyze_bytes(ledger.bytes());
  ASSERT_EQ(a.groups.size(), 3u);
  using Names = std::vector<std::string>;
  EXPECT_EQ(names_of(a, a.groups[0]), (Names{"x+0x10", "x+0x20", "x+0x20", "x+0x10"}));
  EXPECT_EQ(names_of(a, a.groups[1]), (Names{"0x30", "x+0x20", "x+0x10"}));
  EXPECT_EQ(names_of(a, a.groups[2]), (Names{"x+0x20", "x+0x10"}));
}

TEST(Sites, AChainBeforeItsCodesItsParentAndItsModule) {
  LedgerBuilder ledger;
  ledger.window(0).chain(1, 2, 1, {7, 8}).malloc(2, 0x1000, 10, 3);
  ledger.window(1)
      .module(3, 1, 0, 0x99, 0, "", "/x")
      .code(3, 7, 1, 0x20)
      .code(3, 8, 1, 0x30)
      .site(4, 1, 0, 1, 0x10);
  Analysis a = analyze_bytes(ledger.bytes());
  ASSERT_EQ(a.groups.size(), 1u);
  EXPECT_EQ(names_of(a, a.groups[0]), (std::vector<std::string>{"x+0x30", "x+0x20", "x+0x10"}));
  EXPECT_EQ(a.groups[0].calls, 1u);
}

TEST(Sites, AChainThatIsNoneDoesNoHarm) {
  LedgerBuilder ledger;
  ledger.window(0)
      .code(0, 1, 0, 0x10)
      .chain(0, 5, 6, {1})              // a parent after its child
      .chain(0, UINT32_MAX, 0, {1, 1})  // more sites than there are numbers
      .chain(0, 9, 8, {})
      .chain(0, 7, 0, {99})  // a code that nobody describes
      .malloc(1, 0x1000, 10, 7);
  Analysis a = analyze_bytes(ledger.bytes());
  ASSERT_EQ(a.groups.size(), 1u);
  EXPECT_EQ(names_of(a, a.groups[0]), std::vector<std::string>{"0x0"});
}

TEST(Sites, DescribedAfterTheFirstEntryThatUsesIt) {
  LedgerBuilder ledger;
  // Window 0 comes first where times are equal; the description is in window 1.
  ledger.window(0).malloc(5, 0x1000, 10, 1).malloc(6, 0x2000, 20, 1).free(7, 0x1000);
  ledger.window(1).module(5, 1, 0, 9, 0, "", "/x").site(5, 1, 0, 1, 4).malloc(8, 0x3000, 1, 1);
  Analysis a = analyze_bytes(ledger.bytes());
  ASSERT_EQ(a.groups.size(), 1u);
  EXPECT_EQ(a.frames(a.groups[0]).at(0).name, "x+0x4");
  EXPECT_EQ(a.groups[0].calls, 3u);
  EXPECT_EQ(a.groups[0].frees, 1u);
  EXPECT_EQ(a.groups[0].peak_bytes, 30u);
  EXPECT_EQ(a.groups[0].at_peak_bytes, 30u);
  EXPECT_EQ(a.groups[0].end_bytes, 21u);
}

TEST(Sites, DescribedBeforeItsModuleAndItsParent) {
  LedgerBuilder ledger;
  ledger.window(0).site(1, 2, 1, 1, 0x20).malloc(2, 0x1000, 10, 2);
  ledger.window(1).module(3, 1, 0, 0x99, 0, "", "/x").site(4, 1, 0, 1, 0x10);
  Analysis a = analyze_bytes(ledger.bytes());
  ASSERT_EQ(a.groups.size(), 1u);
  std::vector<NamedFrame> frames = a.frames(a.groups[0]);
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0].name, "x+0x20");
  EXPECT_EQ(frames[1].name, "x+0x10");
}

TEST(Sites, NeverDescribedAreOneUnknownGroup) {
  LedgerBuilder ledger;
  ledger.window(0)
      .malloc(1, 0x1000, 10, 5)
      .malloc(2, 0x2000, 20, 0)
      .malloc(3, 0x3000, 1, UINT32_MAX);
  Analysis a = analyze_bytes(ledger.bytes());
  ASSERT_EQ(a.groups.size(), 1u);
  EXPECT_TRUE(a.frames(a.groups[0]).empty());
  EXPECT_EQ(a.groups[0].calls, 3u);
  EXPECT_EQ(a.groups[0].end_bytes, 31u);
}

TEST(Sites, AModuleNumberUsedAgainNamesOnlyLaterSites) {
  LedgerBuilder ledger;
  ledger.window(0)
      .module(0, 1, 0x1000, 0x2000, 0x1000, "a", "/lib/a.so")
      .site(0, 1, 0, 1, 0x1010)
      .malloc(1, 0x1000, 10, 1)
      .unload(2, 1)
      .module(3, 1, 0x1000, 0x2000, 0x1000, "b", "/lib/b.so", 2)
      .site(3, 2, 0, 1, 0x1010)
      .malloc(4, 0x2000, 5, 2);
  Analysis a = analyze_bytes(ledger.bytes());
  ASSERT_EQ(a.groups.size(), 2u);
  EXPECT_EQ(a.frames(a.groups[0]).at(0).name, "a.so+0x10");
  EXPECT_EQ(a.frames(a.groups[1]).at(0).name, "b.so+0x10");
  EXPECT_TRUE(a.ledgers[0].modules[0].unloaded);
  EXPECT_FALSE(a.ledgers[0].modules[1].unloaded);
}

TEST(Sites, ReloadedElsewhereItIsTheSameSite) {
  LedgerBuilder ledger;
  ledger.window(0)
      .module(0, 1, 0x1000, 0x2000, 0x1000, "a", "/lib/a.so")
      .site(0, 1, 0, 1, 0x1010)
      .malloc(1, 0x1000, 10, 1)
      .unload(2, 1)
      .module(3, 2, 0x5000, 0x6000, 0x5000, "a", "/lib/a.so", 2)
      .site(3, 2, 0, 2, 0x5010)
      .malloc(4, 0x2000, 5, 2);
  EXPECT_EQ(analyze_bytes(ledger.bytes()).groups.size(), 1u);
}

TEST(Sites, ParentsThatGoInCirclesDoNotHang) {
  LedgerBuilder ledger;
  ledger.window(0).site(0, 1, 2, 0, 0x10).site(0, 2, 1, 0, 0x20).site(0, 3, 3, 0, 0x30);
  ledger.window(0).malloc(1, 0x1000, 1, 1).malloc(2, 0x2000, 1, 2).malloc(3, 0x3000, 1, 3);
  Analysis a = analyze_bytes(ledger.bytes());
  EXPECT_EQ(a.totals.calls, 3u);
  for (const Group& group : a.groups) EXPECT_LE(a.frames(group).size(), 3u);
}

TEST(Notes, ThreadsModulesAndTheCommand) {
  LedgerBuilder ledger;
  using format::InfoKey;
  ledger.window(0)
      .thread(0, 0, 1234, "main")
      .info(0, InfoKey::kCommand, std::string_view("cc\0-c\0", 6))
      .info(0, InfoKey::kCommand, std::string_view("x.c\0\0", 5))
      .info(0, InfoKey::kExecutable, "/usr/bin/cc")
      .info(0, InfoKey::kHost, "box")
      .thread_name(1, "renamed")
      .unknown_kind(2, "from the future");
  ledger.window(1).thread(3, 1, 1235, "helper");
  LedgerFacts facts = analyze_bytes(ledger.bytes()).ledgers[0];
  EXPECT_EQ(facts.command, (std::vector<std::string>{"cc", "-c", "x.c", ""}));
  EXPECT_EQ(facts.executable, "/usr/bin/cc");
  EXPECT_EQ(facts.host, "box");
  ASSERT_EQ(facts.threads.size(), 2u);
  EXPECT_EQ(facts.threads[0].name, "renamed");
  EXPECT_EQ(facts.threads[0].tid, 1234u);
  EXPECT_EQ(facts.threads[1].name, "helper");
  EXPECT_EQ(facts.entries, 8u);
  EXPECT_TRUE(facts.complete);
}

}  // namespace
}  // namespace heapledger
