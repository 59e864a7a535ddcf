// What doctor shows of a diagnosis, the loader's cache, the words that completion offers, and the
// summary's owners.
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/completion/scripts.h"
#include "cli/completion/words.h"
#include "cli/doctor/libraries.h"
#include "cli/doctor/show.h"
#include "cli/run/summary.h"
#include "cli/run/unseen.h"
#include "cli/shared/options.h"

namespace heapledger::cli {
namespace {

using namespace completion;
using namespace doctor;
using namespace run;

Diagnosis example() {
  Diagnosis diagnosis;
  diagnosis.program_name = "tool";
  diagnosis.executable = "/usr/bin/tool";
  diagnosis.program = {{Mark::kOk, "program", "/usr/bin/tool", ""},
                       {Mark::kNote, "names", "one two three four five six seven", "Build it."}};
  diagnosis.machine = {{Mark::kOk, "recorder", "/lib/libheapledger.so", ""}};
  diagnosis.pools = {&kPools[0]};
  diagnosis.clock = {true, 0.41666, 9.0, 25.0};
  return diagnosis;
}

TEST(DoctorText, LinesHaveMarksAndAreBroken) {
  EXPECT_EQ(doctor_text(example(), Style(false), 56),
            "tool can be recorded; 1 thing to know.\n"
            "\n"
            "The program\n"
            "  ok       program      /usr/bin/tool\n"
            "  note     names        one two three four five six\n"
            "                        seven\n"
            "                        Build it.\n"
            "\n"
            "This machine\n"
            "  ok       recorder     /lib/libheapledger.so\n");
}

TEST(DoctorText, AProblemIsTheVerdict) {
  Diagnosis diagnosis = example();
  diagnosis.machine.push_back({Mark::kProblem, "output", "full", "Make room."});
  EXPECT_FALSE(diagnosis.recordable());
  EXPECT_TRUE(doctor_text(diagnosis, Style(false), 80)
                  .starts_with("tool cannot be recorded: 1 problem.\n"));
}

TEST(DoctorJson, HasEveryPart) {
  const auto json = nlohmann::json::parse(doctor_json(example()));
  EXPECT_EQ(json["schema"], "heapledger.doctor/1");
  EXPECT_EQ(json["recordable"], true);
  EXPECT_EQ(json["program_checks"][1]["mark"], "note");
  EXPECT_EQ(json["program_checks"][1]["remedy"], "Build it.");
  EXPECT_EQ(json["pools"][0]["variable"], "PYTHONMALLOC");
  EXPECT_EQ(json["clock"]["ns_per_tick"], 0.417);
}

// A cache of two rows, put together by hand: 48 bytes of header, rows of 24, then the texts.
std::string small_cache() {
  const std::string texts("liba.so\0/x/liba.so\0/hw/liba.so\0", 31);
  const uint32_t start = 48 + 2 * 24;
  std::string cache(start, '\0');
  std::memcpy(cache.data(), "glibc-ld.so.cache1.1", 20);
  const uint32_t rows = 2;
  std::memcpy(cache.data() + 20, &rows, 4);
  const uint32_t first[] = {0x303, start, start + 19, 0, 1, 0};  // for some processors only
  const uint32_t second[] = {0x303, start, start + 8, 0, 0, 0};
  std::memcpy(cache.data() + 48, first, 24);
  std::memcpy(cache.data() + 72, second, 24);
  return cache + texts;
}

TEST(LoaderCache, GivesThePlaceThatHoldsForAllProcessors) {
  EXPECT_EQ(places_in_cache(small_cache(), "liba.so"), std::vector<std::string>{"/x/liba.so"});
  EXPECT_TRUE(places_in_cache(small_cache(), "libb.so").empty());
}

TEST(LoaderCache, AnyDamageGivesNothingWorse) {
  const std::string whole = small_cache();
  for (size_t bytes = 0; bytes < whole.size(); ++bytes) {
    EXPECT_LE(places_in_cache(whole.substr(0, bytes), "liba.so").size(), 1u);
  }
  std::string many = whole;
  std::memset(many.data() + 20, 0xff, 4);  // as many rows as can be said
  EXPECT_LE(places_in_cache(many, "liba.so").size(), 1u);
}

TEST(Completion, KnowsWhatTheParserKnows) {
  Command app("studio", "Paints.", "1");
  Command* sub = app.add_subcommand("paint", "It's a [test]: paint");
  std::string text;
  bool flag = false;
  sub->add_option("-c,--colour", text, "Which")->type_name("red|blue");
  sub->add_flag("--fast", flag, "Quickly");
  sub->add_option("FILE", text, "What")->type_name("");
  const ToolSpec tool = tool_spec(app);
  ASSERT_EQ(tool.commands.size(), 1u);
  const CommandSpec& paint = tool.commands[0];
  ASSERT_EQ(paint.options.size(), 3u);  // --help first
  EXPECT_EQ(paint.options[1].names, (std::vector<std::string>{"-c", "--colour"}));
  EXPECT_EQ(paint.options[1].value.choices, (std::vector<std::string>{"red", "blue"}));
  EXPECT_EQ(paint.options[2].value.kind, WordKind::kNone);
  ASSERT_EQ(paint.words.size(), 1u);
  EXPECT_EQ(paint.words[0].kind, WordKind::kLedger);
  EXPECT_NE(zsh_completion(tool).find("'paint:It'\\''s a \\[test\\]\\: paint'"), std::string::npos);
  EXPECT_NE(fish_completion(tool).find("-d 'It\\'s a [test]: paint'"), std::string::npos);
}

TEST(RunSummary, NamesTheOwnersAndNothingInItCanControlATerminal) {
  Overview overview;
  overview.processes.resize(1);
  overview.processes[0].path = "x.ledger";
  overview.sums.peak_bytes = 200;
  overview.sums.end_bytes = 40;
  overview.sums.calls = 9;
  overview.sums.temporary_calls = 8;
  Owners owners;
  owners.peak = {100, false, "fill\x1b", "/src/a.cpp", 3};
  owners.never_freed = {10, true, "keep", "", 0};
  owners.temporary = {6, false, "parse", "b.c", 0};
  const std::string text = run_summary(overview, Style(false), owners);
  EXPECT_NE(text.find(" after the start, 50.0% from fill\\x1b a.cpp:3\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("40 B in 0 blocks, 25.0% under keep\n"), std::string::npos) << text;
  EXPECT_NE(text.find("by the same thread, 75.0% from parse b.c\n"), std::string::npos) << text;
  EXPECT_EQ(run_summary(overview, Style(false)).find(" from "), std::string::npos);
}

TEST(RunSummary, SaysWhatItCannotSee) {
  Overview overview;
  overview.sums.peak_bytes = 20 << 20;
  overview.sums.rss_peak_bytes = 500 << 20;
  overview.processes.emplace_back().executable = "/usr/bin/python3.11";
  const std::vector<std::string> texts = unseen_texts(overview, true);
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_NE(texts[0].find("--no-pools"), std::string::npos) << texts[0];
  EXPECT_NE(texts[1].find("malloc has 4.0% of 500.0 MiB"), std::string::npos) << texts[1];
  EXPECT_EQ(unseen_texts(overview, false).size(), 1u);
  overview.sums.peak_bytes = 200 << 20;
  overview.processes[0].executable = "/usr/bin/pythonic";
  EXPECT_TRUE(unseen_texts(overview, true).empty());
  overview.sums = {};
  overview.sums.rss_peak_bytes = 8 << 20;  // a small program's own code
  EXPECT_TRUE(unseen_texts(overview, true).empty());
}

}  // namespace
}  // namespace heapledger::cli
