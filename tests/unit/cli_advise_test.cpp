// Advice as it is printed: names that a program chose do nothing to a terminal or to JSON, and
// every outcome of a replay has its sentence.
#include <gtest/gtest.h>

#include "advice_program.h"
#include "cli/advise/json.h"
#include "cli/advise/text.h"
#include "read_json.h"
#include "text/json_text.h"

namespace heapledger::cli::advise {
namespace {

using test::Program;

Page plain_page() {
  Page page;
  page.cut = false;
  return page;
}

Finding with_effect(Treatment treatment, double ratio, double low, double high, bool known) {
  Finding finding;
  finding.treatment = treatment;
  finding.effect = Effect{100, 1 - ratio, Ratio{ratio, low, high, known}};
  return finding;
}

TEST(Advise, HostileNamesAreHarmless) {
  Program program;
  std::string name = "evil\x1b[31m\n\"\xff<b>" + std::string(10'000, 'x') + "()";
  uint32_t site = program.code(name, "a\nb.cpp", 5);
  for (int i = 0; i < 200; ++i) program.free(program.malloc(site, 64));
  Ledgers ledgers = program.open();
  AdviceOptions options;
  options.replay = false;
  Advice advice = heapledger::advise(ledgers, options);
  ASSERT_EQ(advice.findings.size(), 1u);
  std::string text = advice_text(advice, ledgers, plain_page());
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("1. a\\nb.cpp:5 evil\\x1b[31m\\n"), std::string::npos) << text.substr(0, 400);
  ReadJson json = read_json(advice_json(advice, ledgers));
  EXPECT_EQ(json["findings"][0]["name"].get<std::string>().substr(0, 11), "evil\x1b[31m\n\"");
}

TEST(Advise, EffectsInWords) {
  EXPECT_EQ(effect_words(Finding{}), "");
  EXPECT_EQ(effect_words(with_effect(Treatment::kNone, 0.88, 0.86, 0.90, true)),
            "Replayed without them: 12% (±2.0%) less time in the allocator");
  EXPECT_EQ(effect_words(with_effect(Treatment::kArena, 1.25, 1.1, 1.4, true)),
            "Replayed with them in arenas: 25% (±15%) more time in the allocator");
  EXPECT_NE(
      effect_words(with_effect(Treatment::kNone, 0.97, 0.9, 1.05, true)).find("no difference"),
      std::string::npos);
  EXPECT_NE(effect_words(with_effect(Treatment::kNone, 0.5, 0, 0, false)).find("a single round"),
            std::string::npos);
}

TEST(Advise, WhatIsSavedInWords) {
  Advice advice;
  advice.calls = 1000;
  advice.bytes = 1 << 20;
  advice.peak_bytes = 1 << 20;
  Finding finding;
  EXPECT_EQ(saved_words(finding, advice), "");
  finding.saved = {100, 1 << 19, 1};
  finding.worth = 0.5;
  EXPECT_EQ(saved_words(finding, advice),
            "Saves up to 100 calls (10.0%), 512.0 KiB allocated in all (50.0%)");
  finding.saved = {0, 0, 1 << 18};
  EXPECT_EQ(saved_words(finding, advice), "Saves up to 256.0 KiB at the peak (25.0%)");
}

TEST(Advise, NothingToSay) {
  Program program;
  program.other();
  Ledgers ledgers = program.open();
  Advice advice = heapledger::advise(ledgers, {});
  std::string text = advice_text(advice, ledgers, plain_page());
  EXPECT_NE(text.find("Nothing to advise"), std::string::npos) << text;
}

TEST(Advise, WhyThereIsNoEffect) {
  Program program;
  program.other();
  Ledgers ledgers = program.open();
  Advice advice;
  advice.why_no_effect = "the player is not here";
  std::string text = advice_text(advice, ledgers, plain_page());
  EXPECT_NE(text.find("Effects were not measured: the player is not here"), std::string::npos);
  ReadJson json = read_json(advice_json(advice, ledgers));
  EXPECT_EQ(json["why_no_effect"], "the player is not here");
  EXPECT_TRUE(json["allocator"].is_null());
}

}  // namespace
}  // namespace heapledger::cli::advise
