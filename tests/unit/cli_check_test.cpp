// The gate: limits from words, verdicts, and what is written about them.
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "analyzer/error.h"
#include "cli/check/gate.h"
#include "cli/check/json.h"
#include "cli/check/junit.h"
#include "cli/check/limits.h"
#include "cli/check/text.h"
#include "cli_check_builds.h"
#include "text/xml.h"

namespace heapledger::cli::check {
namespace {

using test::expect_golden;
using test::new_build;
using test::old_build;

Limit limit(LimitKind kind, const char* text) {
  return parse_limit(kind, text, "command line", "--");
}

GateResult gate(test::Build& build, const std::vector<Limit>& limits,
                const Suppressions& suppressions = {}) {
  Ledgers ledgers = build.open();
  return check_gate(limits, ledgers, nullptr, suppressions);
}

std::string complaint(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kQuestion);
    return error.what();
  }
  return "nothing was wrong";
}

TEST(CheckLimits, SizesArePowersOf1024) {
  EXPECT_EQ(limit(LimitKind::kPeak, "1G").value, 1u << 30);
  EXPECT_EQ(limit(LimitKind::kPeak, "1GiB").value, 1u << 30);
  EXPECT_EQ(limit(LimitKind::kPeak, " 1.5 MiB ").value, 1'572'864u);
  EXPECT_EQ(limit(LimitKind::kRss, "64k").value, 65'536u);
  EXPECT_EQ(limit(LimitKind::kRss, "64KiB").value, 65'536u);
  EXPECT_EQ(limit(LimitKind::kRss, "1g").value, 1u << 30);
  EXPECT_EQ(limit(LimitKind::kRss, "4096").value, 4096u);
  EXPECT_EQ(limit(LimitKind::kRss, "12B").value, 12u);
  EXPECT_EQ(limit(LimitKind::kUnfreed, "0").value, 0u);
  EXPECT_EQ(limit(LimitKind::kPeak, "18446744073709551615").value, UINT64_MAX);
}

TEST(CheckLimits, CallsArePowersOf1000) {
  EXPECT_EQ(limit(LimitKind::kCalls, "2M").value, 2'000'000u);
  EXPECT_EQ(limit(LimitKind::kCalls, "1.5k").value, 1500u);
}

TEST(CheckLimits, PercentagesWhereTheyMakeSense) {
  EXPECT_EQ(limit(LimitKind::kTemporary, "40%").percent, 40.0);
  EXPECT_EQ(limit(LimitKind::kGrowth, "2.5 %").percent, 2.5);
  EXPECT_TRUE(limit(LimitKind::kUnfreed, "1%").is_percent);
  EXPECT_FALSE(limit(LimitKind::kTemporary, "100").is_percent);
  for (LimitKind kind : {LimitKind::kPeak, LimitKind::kRss, LimitKind::kCalls}) {
    EXPECT_THROW(limit(kind, "5%"), Error);
  }
}

TEST(CheckLimits, NonsenseIsRefusedWithAnExample) {
  for (const char* text : {"", "-1", "1Q", "M", "1..2", "1.5", "1GiBs", "99999999T", "nan", "1 G G",
                           "18446744073709551616"}) {
    EXPECT_THROW(limit(LimitKind::kPeak, text), Error) << text;
  }
  EXPECT_THROW(limit(LimitKind::kGrowth, "5"), Error);
  EXPECT_EQ(complaint([] { limit(LimitKind::kPeak, "lots"); }),
            "--max-peak: cannot read 'lots' as a size: write 512k, 1.5M or 2GiB");
}

TEST(CheckLimits, AFileHasOneALine) {
  std::vector<Limit> limits =
      parse_limits("# of the parser\n\n max-peak = 1G # as ever\r\nmax-growth=5%", "heap.limits");
  ASSERT_EQ(limits.size(), 2u);
  EXPECT_EQ(limits[0].value, 1u << 30);
  EXPECT_EQ(limits[0].source, "heap.limits:3");
  EXPECT_EQ(limits[1].percent, 5.0);
}

TEST(CheckLimits, AWrongLineIsNamedWithTheNearestWord) {
  auto parse = [](const char* text) {
    return complaint([text] { parse_limits(text, "heap.limits"); });
  };
  EXPECT_EQ(parse("\nmax-paek = 1G"), "heap.limits:2: unknown limit 'max-paek'; is it max-peak?");
  EXPECT_EQ(parse("max-peak 1G"), "heap.limits:1: 'max-peak 1G' has no value; write max-peak = 1G");
  EXPECT_EQ(parse("max-peak = 1Q"),
            "heap.limits:1: max-peak: cannot read '1Q' as a size: write 512k, 1.5M or 2GiB");
  EXPECT_EQ(parse("max-peak = 1\nmax-peak = 2"),
            "heap.limits:2: max-peak is there already, at heap.limits:1; keep one of them");
  EXPECT_NE(parse("xyzzy = 1").find("there are: max-peak, max-rss"), std::string::npos);
}

TEST(CheckLimits, TheCommandLineWins) {
  std::vector<Limit> all = merged_limits({limit(LimitKind::kPeak, "1k")},
                                         parse_limits("max-calls = 3\nmax-peak = 2k", "file"));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].value, 1024u);
  EXPECT_EQ(all[1].source, "file:1");
}

// The figures are those of cli_check_builds.h.
TEST(CheckGate, AValueAtTheLimitIsHeldAndOneAboveIsNot) {
  auto build = new_build();
  GateResult held = gate(*build, {limit(LimitKind::kPeak, "1600"), limit(LimitKind::kRss, "8k"),
                                  limit(LimitKind::kUnfreed, "1030"), limit(LimitKind::kCalls, "5"),
                                  limit(LimitKind::kTemporary, "0%")});
  EXPECT_TRUE(held.holds());
  ASSERT_EQ(held.verdicts.size(), 5u);
  for (const Verdict& verdict : held.verdicts) EXPECT_TRUE(verdict.culprits.empty());
  GateResult over =
      gate(*build, {limit(LimitKind::kPeak, "1599"), limit(LimitKind::kRss, "8191"),
                    limit(LimitKind::kUnfreed, "1029"), limit(LimitKind::kCalls, "4")});
  for (const Verdict& verdict : over.verdicts) EXPECT_FALSE(verdict.held) << verdict.measure;
  EXPECT_EQ(over.verdicts[0].value, 1600u);
  EXPECT_EQ(over.verdicts[1].value, 8192u);
  EXPECT_EQ(over.verdicts[2].value, 1030u);
  EXPECT_EQ(over.verdicts[3].value, 5u);
}

TEST(CheckGate, TheLargestSitesAreToBlame) {
  GateResult result = gate(*new_build(), {limit(LimitKind::kPeak, "1k")});
  const std::vector<Culprit>& culprits = result.verdicts.at(0).culprits;
  ASSERT_EQ(culprits.size(), 5u);
  EXPECT_EQ(culprits[0].name, "save()");
  EXPECT_EQ(culprits[0].file, "/new/src/save.cpp");
  EXPECT_EQ(culprits[0].line, 70u + 0x100);
  EXPECT_EQ(culprits[0].value, 1000u);
  EXPECT_EQ(culprits[0].whole, 1600u);
  EXPECT_EQ(culprits[0].callers, std::vector<std::string>{"main"});
}

TEST(CheckGate, PercentagesAreOfCallsAndOfBytes) {
  auto build = old_build();  // 1 of 5 calls is temporary; 30 of 350 bytes are never freed
  EXPECT_TRUE(gate(*build, {limit(LimitKind::kTemporary, "20%")}).holds());
  EXPECT_FALSE(gate(*build, {limit(LimitKind::kTemporary, "19.9%")}).holds());
  EXPECT_FALSE(gate(*build, {limit(LimitKind::kTemporary, "0")}).holds());
  EXPECT_TRUE(gate(*build, {limit(LimitKind::kUnfreed, "8.6%")}).holds());
  EXPECT_FALSE(gate(*build, {limit(LimitKind::kUnfreed, "8.5%")}).holds());
}

TEST(CheckGate, SuppressionsTakeAwayFromWhatIsNeverFreed) {
  Suppressions suppressions;
  suppressions.add("leak:save\n");
  GateResult result = gate(*new_build(), {limit(LimitKind::kUnfreed, "0")}, suppressions);
  ASSERT_EQ(result.verdicts.size(), 1u);
  EXPECT_EQ(result.verdicts[0].value, 30u);
  ASSERT_EQ(result.verdicts[0].culprits.size(), 1u);
  EXPECT_EQ(result.verdicts[0].culprits[0].name, "libz.so.1+0x551");
  ASSERT_EQ(result.suppressions.size(), 1u);
  EXPECT_EQ(result.suppressions[0].bytes, 1000u);
}

GateResult growth(const char* most, const Suppressions& suppressions = {}) {
  auto before = old_build();
  auto after = new_build();
  Ledgers old = before->open();
  Ledgers now = after->open();
  return check_gate({limit(LimitKind::kGrowth, most)}, now, &old, suppressions);
}

TEST(CheckGate, GrowthIsOfFourMeasures) {
  GateResult result = growth("360%");
  ASSERT_EQ(result.verdicts.size(), 4u);
  const Verdict& peak = result.verdicts[0];
  EXPECT_EQ(peak.measure, "peak");
  EXPECT_FALSE(peak.held);  // 300 to 1600: +433 %
  EXPECT_EQ(peak.of, 300u);
  EXPECT_NEAR(*peak.percent(), 433.33, 0.01);
  EXPECT_EQ(peak.culprits.at(0).name, "save()");
  EXPECT_EQ(peak.culprits.at(0).value, 1000u);
  EXPECT_EQ(peak.culprits.at(0).whole, 1300u);
  EXPECT_EQ(peak.culprits.at(1).name, "parse(Input&)");
  EXPECT_EQ(peak.culprits.at(1).value, 300u);
  EXPECT_EQ(peak.culprits.size(), 2u);    // what did not grow is not to blame
  EXPECT_FALSE(result.verdicts[1].held);  // never freed: 30 to 1030
  EXPECT_TRUE(result.verdicts[2].held);   // calls: 5 to 5
  EXPECT_TRUE(result.verdicts[3].held);   // bytes: 350 to 1600, +357 %
  EXPECT_TRUE(growth("3334%").holds());
}

TEST(CheckGate, SuppressedSitesDoNotGrow) {
  Suppressions suppressions;
  suppressions.add("leak:save()");
  GateResult result = growth("0%", suppressions);
  EXPECT_TRUE(result.verdicts.at(1).held);  // 30 to 30
}

TEST(CheckGate, AnythingIsTooMuchWhereThereWasNothing) {
  test::Build before("one");
  before.give(before.take(10, 1));
  test::Build after("two", 0x1000);
  after.take(10, 1);
  Ledgers old = before.open();
  Ledgers now = after.open();
  GateResult result = check_gate({limit(LimitKind::kGrowth, "500%")}, now, &old, {});
  EXPECT_TRUE(result.verdicts[0].held);
  EXPECT_FALSE(result.verdicts[1].held);
  EXPECT_EQ(result.verdicts[1].percent(), std::nullopt);
}

TEST(CheckGate, WithoutSamplesThereIsNoVerdictOnResidentMemory) {
  test::Build build("one");
  build.take(10, 1);
  EXPECT_THROW(gate(build, {limit(LimitKind::kRss, "1G")}), Error);
}

GateResult mixed() {
  GateResult result =
      gate(*new_build(), {limit(LimitKind::kPeak, "1k"), limit(LimitKind::kCalls, "1k"),
                          limit(LimitKind::kUnfreed, "10%")});
  GateResult grown = growth("400%");
  for (Verdict& verdict : grown.verdicts) result.verdicts.push_back(verdict);
  result.suppressions.push_back({"pool\x1b[2J", true, 2, 72704, 1});
  return result;
}

TEST(Golden, CheckText) {
  expect_golden("check_mixed.txt", check_text(mixed(), {}));
  Page narrow;
  narrow.width = 60;
  expect_golden("check_narrow.txt", check_text(mixed(), narrow));
  expect_golden("check_held.txt",
                check_text(gate(*old_build(), {limit(LimitKind::kPeak, "1k")}), {}));
}

TEST(Golden, CheckJsonAndJunit) {
  Checked checked;
  checked.ledgers = {"new.ledger"};
  checked.against = {"old.ledger"};
  expect_golden("check_mixed.json", check_json(mixed(), checked));
  expect_golden("check_mixed.xml", check_junit(mixed(), checked));
  checked.complete = false;
  checked.problems = {"new.ledger: a chunk is missing"};
  expect_golden("check_incomplete.xml", check_junit({}, checked));
}

TEST(CheckJson, HoldsOnlyWhatIsComplete) {
  Checked checked;
  EXPECT_EQ(nlohmann::json::parse(check_json({}, checked))["holds"], true);
  checked.complete = false;
  EXPECT_EQ(nlohmann::json::parse(check_json({}, checked))["holds"], false);
  checked.allow_incomplete = true;
  EXPECT_EQ(nlohmann::json::parse(check_json({}, checked))["holds"], true);
  EXPECT_EQ(nlohmann::json::parse(check_json(mixed(), checked))["holds"], false);
}

TEST(CheckJunit, WhatXmlCannotHoldIsMadeHarmless) {
  EXPECT_EQ(xml_text("a<b>&\"c\""), "a&lt;b&gt;&amp;&quot;c&quot;");
  EXPECT_EQ(xml_text(std::string_view("\x00\x1b\n\xff", 4)), "\\x00\\x1b\\n\\xff");
  EXPECT_EQ(xml_text("]]>"), "]]&gt;");
  EXPECT_EQ(xml_text("\xef\xbf\xbe\xef\xbf\xbf"), "\\ufffe\\uffff");
  EXPECT_EQ(xml_text("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a pair
  EXPECT_EQ(xml_text("größe"), "größe");
}

TEST(CheckText, NothingInItCanControlATerminal) {
  GateResult result = mixed();
  result.verdicts[0].culprits[0] = {"f\x1b[2J", "x\r.cpp", 3, {"g\x07"}, 5, 10};
  std::string all = check_text(result, {}) + check_junit(result, {}) + check_json(result, {});
  for (char c : all) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
}

}  // namespace
}  // namespace heapledger::cli::check
