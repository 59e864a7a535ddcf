// What is made of HEAPLEDGER="…" and of the options of `run`: the same words, the same parser.
#include "settings/settings.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace heapledger::settings {
namespace {

struct Parsed {
  bool good;
  std::string wrong;
  const Word* known;
  std::shared_ptr<Settings> in;
};

Parsed parsed(const std::string& text) {
  auto settings = std::make_shared<Settings>();
  auto wrong = std::make_unique<WrongWord>();
  const bool good = parse(text.c_str(), *settings, *wrong);
  return {good, good ? "" : wrong->text, wrong->known, settings};
}

TEST(Settings, NothingLeavesTheDefaults) {
  const Parsed result = parsed("  ");
  EXPECT_TRUE(result.good);
  EXPECT_EQ(result.in->mode, Mode::kTrace);
  EXPECT_FALSE(result.in->out.given());
  EXPECT_EQ(result.in->depth, 256u);
  EXPECT_EQ(result.in->sample_bytes, 524288u);
  EXPECT_TRUE(result.in->children);
}

TEST(Settings, WordsAreApplied) {
  const Parsed result = parsed("mode=sample sample=64K every=1500ms out=/a/%p.ledger run=00ff0a");
  EXPECT_TRUE(result.good) << result.wrong;
  EXPECT_EQ(result.in->mode, Mode::kSample);
  EXPECT_EQ(result.in->sample_bytes, 65536u);
  EXPECT_EQ(result.in->every_ns, 1'500'000'000u);
  EXPECT_STREQ(result.in->out.text, "/a/%p.ledger");
  EXPECT_EQ(result.in->run_id, 0xff0au);
}

TEST(Settings, SizesAndDurationsAreThoseOfTheCommandLine) {
  for (const char* text : {"sample=1.5M", "sample=1536KiB", "sample=1536k", "sample=1572864"}) {
    const Parsed result = parsed(text);
    EXPECT_TRUE(result.good) << text;
    EXPECT_EQ(result.in->sample_bytes, 1'572'864u) << text;
  }
  for (const char* text : {"every=2min", "every=2m", "every=120s"}) {
    EXPECT_EQ(parsed(text).in->every_ns, 120'000'000'000u) << text;
  }
  EXPECT_EQ(parsed("stacks-for=>=1g").in->stacks_at_least, 1u << 30);
  EXPECT_FALSE(parsed("sample=12q").good);
  EXPECT_FALSE(parsed("sample=0").good);
  EXPECT_FALSE(parsed("every=0s").good);
}

TEST(Settings, ALaterWordWins) {
  EXPECT_EQ(parsed("depth=3 depth=5").in->depth, 5u);
  const Parsed result = parsed("sample-calls=10 sample=1M");
  EXPECT_EQ(result.in->sample_calls, 0u);
  EXPECT_EQ(result.in->sample_bytes, 1048576u);
}

TEST(Settings, BackslashMakesSpacesLiteral) {
  EXPECT_STREQ(parsed("out=/my\\ files/a\\\\b run=1").in->out.text, "/my files/a\\b");
}

TEST(Settings, AnUnknownWordIsNamed) {
  const Parsed result = parsed("out=x otu=y");
  EXPECT_FALSE(result.good);
  EXPECT_EQ(result.wrong, "otu=y");
  EXPECT_EQ(result.known, nullptr);
}

TEST(Settings, AWrongValueNamesItsWord) {
  const Parsed result = parsed("mode=trase");
  EXPECT_FALSE(result.good);
  ASSERT_NE(result.known, nullptr);
  EXPECT_STREQ(result.known->name, "mode");
}

TEST(Settings, WrongValues) {
  for (const char* word :
       {"out=",          "run=",          "run=00ffFFF", "run=fffffffffffffffff",
        "depth=0",       "depth=4097",    "depth=1x",    "depth=",
        "mode",          "maps=yes",      "every=10",    "every=0s",
        "every=s",       "sample=0",      "sample=1Q",   "sample=99999999999999999999",
        "stacks-for=>5", "stacks-for=>=", "log=time,",   "log=,time",
        "log=tim",       "log=",          "fd=-1",       "guard=on",
        "weigh=space",   "sample-calls=0"}) {
    EXPECT_FALSE(parsed(word).good) << word;
  }
}

TEST(Settings, SizesThatGetAStack) {
  EXPECT_EQ(parsed("stacks-for=>=4K").in->stacks_at_least, 4096u);
  EXPECT_EQ(parsed("stacks-for=>=4K").in->stacks_at_most, ~0ull);
  EXPECT_EQ(parsed("stacks-for=<=100").in->stacks_at_most, 100u);
  const Parsed none = parsed("stacks-for=none");
  EXPECT_GT(none.in->stacks_at_least, none.in->stacks_at_most);
}

TEST(Settings, WhatALogLineHas) {
  const Parsed result = parsed("mode=log log=stack,time fd=2");
  EXPECT_TRUE(result.good);
  EXPECT_TRUE(result.in->log_time);
  EXPECT_TRUE(result.in->log_stack);
  EXPECT_FALSE(result.in->log_thread);
  EXPECT_EQ(result.in->log_fd, 2);
}

TEST(Settings, AWordThatIsTooLongIsWrong) {
  EXPECT_TRUE(parsed("out=" + std::string(4000, 'x')).good);
  EXPECT_FALSE(parsed("out=" + std::string(4096, 'x')).good);
  EXPECT_FALSE(parsed("out=" + std::string(100'000, 'x')).good);
}

TEST(Settings, EveryWordHasWhatHelpNeeds) {
  for (size_t i = 0; i < kWordCount; ++i) {
    EXPECT_NE(std::string(kWords[i].help), "") << kWords[i].name;
    EXPECT_NE(std::string(kWords[i].value), "") << kWords[i].name;
    EXPECT_EQ(find_word(kWords[i].name, std::string(kWords[i].name).size()), &kWords[i]);
  }
}

TEST(Settings, ModesHaveNames) {
  EXPECT_STREQ(mode_name(Mode::kTrace), "trace");
  EXPECT_STREQ(mode_name(Mode::kSample), "sample");
  EXPECT_STREQ(mode_name(static_cast<Mode>(99)), "unknown");
}

}  // namespace
}  // namespace heapledger::settings
