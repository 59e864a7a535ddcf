// Every view of a report as a person reads it, compared with the texts in tests/golden; and the
// figures in them, worked out by hand from the ledgers they are of.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "analyzer/error.h"
#include "cli/asking/asked.h"
#include "cli/pages/page.h"
#include "cli/report/json.h"
#include "cli/report/text.h"
#include "report_golden.h"

namespace heapledger::cli::report {
namespace {

using test::expect_golden;
using test::open_example;
using test::open_family;
using test::TextTool;

Page narrow() {
  Page page;
  page.width = 80;
  return page;
}

ReportWords by(const std::string& group) {
  ReportWords words;
  words.by = group;
  return words;
}

std::string text_of(Ledgers ledgers, const ReportWords& words, const Page& page = narrow()) {
  return report_text(ledgers, understand(words), page);
}

nlohmann::json json_of(Ledgers ledgers, const ReportWords& words) {
  return nlohmann::json::parse(
      test::written([&](std::FILE* to) { write_report_json(to, ledgers, understand(words)); }));
}

std::string refusal_of(const ReportWords& words) {
  try {
    TextTool tool;
    Ledgers ledgers = tool.open();
    Asked asked = understand(words);
    check_moments(ledgers, asked.question);
    report_text(ledgers, asked, narrow());
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kQuestion);
    return error.what();
  }
  return "";
}

TEST(Golden, ReportOfOneLedger) {
  expect_golden("report_one.txt", text_of(open_example(), {}));
}

TEST(Golden, ReportOfTwoLedgers) {
  expect_golden("report_two.txt", text_of(open_family(), {}));
}

TEST(Golden, ReportWithNames) {
  expect_golden("report_names.txt", text_of(TextTool().open(), {}));
  Page plain = narrow();
  plain.unicode = false;
  expect_golden("report_names_ascii.txt", text_of(TextTool().open(), {}, plain));
}

TEST(Golden, ReportJson) {
  Ledgers ledgers = open_family();
  expect_golden("report_two.json", test::written([&](std::FILE* to) {
                  write_report_json(to, ledgers, understand({}));
                }));
}

TEST(Golden, ReportTables) {
  std::string all;
  for (const char* group : {"site", "function", "file", "line", "module", "thread", "size",
                            "size-class", "lifetime", "process"}) {
    all += "== --by " + std::string(group) + "\n" + text_of(TextTool().open(), by(group)) + "\n";
  }
  expect_golden("report_tables.txt", all);
}

TEST(Golden, ReportTrees) {
  ReportWords tree, bottom_up, callers, callees, below;
  tree.tree = true;
  bottom_up.bottom_up = true;
  bottom_up.sort = "calls";
  callers.callers_of = "operator new";
  callees.callees_of = "main";
  below.tree = true;
  below.below = "load";
  below.at = "end";
  std::string all;
  for (const ReportWords& words : {tree, bottom_up, callers, callees, below}) {
    all += text_of(TextTool().open(), words) + "\n";
  }
  expect_golden("report_trees.txt", all);
}

TEST(Golden, ReportMoments) {
  ReportWords between, at, blocks, rss;
  between.between = {"loaded", "55ms"};
  at.at = "end";
  at.filters = {"size<1k"};
  blocks.blocks = true;
  blocks.top = 3;
  blocks.at = "loaded";
  rss.where_rss = true;
  rss.at = "end";
  std::string all;
  for (const ReportWords& words : {between, at, blocks, rss}) {
    all += text_of(TextTool().open(), words) + "\n";
  }
  expect_golden("report_moments.txt", all);
}

TEST(Golden, NothingInAReportCanControlATerminal) {
  std::string all = text_of(open_family(), {});
  for (const char* group : {"site", "function", "module", "thread", "process"}) {
    all += text_of(open_family(), by(group));
  }
  for (char c : all) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
}

// One question for each view, and some whose text is long.
std::vector<ReportWords> all_views() {
  std::vector<ReportWords> all(7);
  all[1].tree = true;
  all[2].bottom_up = true;
  all[3].blocks = true;
  all[4].where_rss = true;
  all[5].between = {"20ms", "55ms"};
  all[5].filters = {"size>=1,size<100M,function=main"};
  all[6].live = true;
  all[6].at = "20ms";
  for (const char* group : {"site", "function", "file", "line", "module", "thread", "size",
                            "size-class", "lifetime", "process"}) {
    all.push_back(by(group));
  }
  return all;
}

TEST(Golden, NoLineIsWiderThanThePage) {
  for (size_t width : {40u, 60u, 80u, 100u, 132u}) {
    Page page;
    page.width = width;
    std::string all;
    for (const ReportWords& words : all_views()) {
      all += text_of(TextTool().open(), words, page) + text_of(open_family(), words, page);
    }
    std::stringstream lines(all);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(shown_width(line), width) << line;
  }
}

TEST(ReportPage, ALineThatIsCutEndsItsColours) {
  EXPECT_EQ(clipped("\x1b[1mabcdef\x1b[0m g\nab\n", 4), "\x1b[1mabc…\x1b[0m\nab\n");
  EXPECT_EQ(clipped("\x1b[2mab\x1b[0mcd\n", 4), "\x1b[2mab\x1b[0mcd\n");  // as wide as the page
  EXPECT_EQ(clipped("\x1b[2mab\x1b[0mcde\n", 4), "\x1b[2mab\x1b[0mc…\n");
  EXPECT_EQ(clipped("ääääää\n", 5), "ääää…\n");
}

TEST(Golden, ReportOnANarrowTerminal) {
  Page page;
  page.width = 60;
  ReportWords tree, blocks;
  tree.tree = true;
  blocks.blocks = true;
  blocks.top = 3;
  std::string all;
  for (const ReportWords& words : {ReportWords{}, by("function"), tree, blocks}) {
    all += text_of(TextTool().open(), words, page) + "\n";
  }
  expect_golden("report_narrow.txt", all);
}

// --- what is live, and nothing else ---

TEST(ReportLive, IsTheSameOfARawAndASealedLedger) {
  for (const char* moment : {"start", "7ms", "loaded", "30.0005ms", "55ms", "70%", "end", "peak"}) {
    for (ReportWords words : all_views()) {
      if (words.blocks || words.where_rss || !words.between.empty()) continue;
      words.live = true;
      words.at = moment;
      SCOPED_TRACE(std::string(moment) + " by " + words.by);
      EXPECT_EQ(text_of(TextTool().open_sealed(), words), text_of(TextTool().open(), words));
      nlohmann::json sealed = json_of(TextTool().open_sealed(), words);
      EXPECT_EQ(sealed, json_of(TextTool().open(), words));
      words.live = false;
      nlohmann::json whole = json_of(TextTool().open(), words);
      for (const char* figure : {"begin_ns", "end_ns", "live_bytes", "live_blocks"}) {
        EXPECT_EQ(sealed["figures"][figure], whole["figures"][figure]) << figure;
      }
    }
  }
}

TEST(ReportLive, ShowsNoFigureOfTheWholeRun) {
  ReportWords words = by("function");
  words.live = true;
  words.at = "55ms";
  nlohmann::json json = json_of(TextTool().open_sealed(), words);
  EXPECT_FALSE(json.contains("totals"));
  EXPECT_FALSE(json["figures"].contains("calls"));
  EXPECT_EQ(json["figures"]["live_bytes"], (128 << 10 << 3) + 1000 * 100 + 5000);
  EXPECT_EQ(json["question"]["live"], true);
  std::string text = text_of(TextTool().open_sealed(), words);
  EXPECT_EQ(text.find("calls"), std::string::npos) << text;
  EXPECT_EQ(text.find("draw"), std::string::npos) << "nothing of it is live";
}

TEST(ReportLive, RefusesWhatItCannotKnow) {
  ReportWords words;
  words.live = true;
  words.sort = "calls";
  EXPECT_NE(refusal_of(words).find("--live"), std::string::npos);
  words.sort.clear();
  words.between = {"start", "end"};
  EXPECT_NE(refusal_of(words).find("one moment"), std::string::npos);
  words.between.clear();
  words.at = "laoded";
  EXPECT_NE(refusal_of(words).find("did you mean 'loaded'?"), std::string::npos);
}

// --- trees that are too large ---

TEST(ReportTree, SaysThatItIsCut) {
  ReportWords words;
  words.tree = true;
  Asked asked = understand(words);
  asked.question.most_nodes = 4;  // of main, load, push_back, operator new, parse, make_node …
  auto json_with = [&asked] {
    TextTool tool;
    Ledgers ledgers = tool.open();
    return nlohmann::json::parse(
        test::written([&](std::FILE* to) { write_report_json(to, ledgers, asked); }));
  };
  nlohmann::json json = json_with();
  EXPECT_EQ(json["tree"].size(), 4u);
  // Neither that of load nor that of intern_table fits; parse and draw have nothing at the peak,
  // and would be left out of a whole tree, too.
  EXPECT_EQ(json["figures"]["cut_sites"], 2);
  EXPECT_EQ(json["tree"][0]["live_bytes"], json["figures"]["live_bytes"]);
  TextTool tool;
  Ledgers ledgers = tool.open();
  // The text leaves out more that is small: intern_table has 0.3%.
  EXPECT_NE(report_text(ledgers, asked, narrow()).find("One stack ends early"), std::string::npos);
  asked.question.most_nodes = kMaxTreeNodes;
  EXPECT_EQ(json_with()["figures"]["cut_sites"], 0);
  EXPECT_EQ(report_text(ledgers, asked, narrow()).find("early"), std::string::npos);
}

// --- a whole document or none ---

// As a ledger that is gone, or another one, when it is opened once more.
TEST(ReportJson, NothingIsWrittenWhenALedgerFailsMidway) {
  TextTool tool;
  const std::string bytes = tool.ledger.bytes();
  int opened = 0;
  std::vector<Ledgers::Opener> openers;
  openers.emplace_back([&]() -> std::unique_ptr<ByteSource> {
    if (++opened > 1) throw Error("texttool.100.ledger: is gone", ErrorKind::kData);
    return in_memory("texttool.100.ledger", bytes);
  });
  Ledgers ledgers(std::move(openers), {});
  ReportWords words = by("thread");  // takes a second pass
  ErrorKind kind = ErrorKind::kCancelled;
  std::string text = test::written([&](std::FILE* to) {
    try {
      write_report_json(to, ledgers, understand(words), "[");
    } catch (const Error& error) {
      kind = error.kind();
    }
  });
  EXPECT_EQ(kind, ErrorKind::kData);
  EXPECT_EQ(opened, 2);
  EXPECT_EQ(text, "");
}

// The figures of the example, worked out by hand from example_ledger.cpp.
TEST(Golden, TheExampleAddsUp) {
  nlohmann::json json = json_of(open_example(), {});
  const auto& totals = json["totals"];
  EXPECT_EQ(json["schema"], "heapledger.report/4");
  EXPECT_EQ(totals["calls"], 1000 + 1 + 300 + 1 + 1 + 1 + 1);
  EXPECT_EQ(totals["bytes"], 1000 * 1000 + (1 << 20) + 300 * 64 + 4096 + 100 + 200'000 + (2 << 20));
  EXPECT_EQ(totals["peak_bytes"], 1000 * 1000 + (1 << 20) + 4096 + 200'000 + (2 << 20));
  EXPECT_EQ(totals["peak_blocks"], 1000 + 1 + 1 + 1 + 1);
  EXPECT_EQ(totals["peak_time_ns"], 51'000'000);
  EXPECT_EQ(totals["resizes"], 1);
  EXPECT_EQ(totals["frees"], 300 + 900 + 3);
  EXPECT_EQ(totals["temporary_calls"], 300 + 1);  // the helper's one, too
  EXPECT_EQ(totals["end_bytes"], 100 * 1000 + 200'000);
  EXPECT_EQ(totals["end_blocks"], 101);
  EXPECT_EQ(totals["rss_peak_bytes"], 7 << 20);
  EXPECT_EQ(json["by_function"]["free"], 300 + 900 + 2);
  EXPECT_EQ(json["by_function"].size(), 12u);
  EXPECT_EQ(json["ledgers"][0]["command"][3], "\x1b[31mred");
  EXPECT_EQ(json["frames"][json["groups"][0]["stack"][0].get<size_t>()]["name"], "0x7fff00001000");
}

// The figures of the text tool, from its description.
TEST(Golden, TheTextToolAddsUp) {
  constexpr uint64_t kVector = 128 << 10 << 3;  // the largest and last
  ReportWords words = by("function");
  words.at = "55ms";
  nlohmann::json json = json_of(TextTool().open(), words);
  std::map<std::string, nlohmann::json> groups;
  for (const auto& group : json["groups"]) groups[group["name"]] = group;
  EXPECT_EQ(json["figures"]["live_bytes"], kVector + 1000 * 100 + 5000);
  EXPECT_EQ(groups["main"]["live_bytes"], kVector + 1000 * 100 + 5000);
  EXPECT_EQ(groups["main"]["self"]["live_bytes"], 0);
  EXPECT_EQ(groups["load(char const*)"]["self"]["live_bytes"], kVector);
  EXPECT_EQ(groups["make_node(int)"]["self"]["live_blocks"], 1000);
  EXPECT_EQ(groups["draw(int)"]["temporary_calls"], 200);
  EXPECT_EQ(groups["draw(int)"]["live_bytes"], 0);
  words = {};
  words.blocks = true;
  words.at = "end";
  json = json_of(TextTool().open(), words);
  EXPECT_EQ(json["figures"]["live_blocks"], 100 + 1);
  EXPECT_EQ(json["blocks"].size(), 101u);
  EXPECT_EQ(json["blocks"][0]["size"], 5000);
  EXPECT_EQ(json["blocks"][0]["age_ns"], 95'000'000);
  EXPECT_EQ(json["blocks"][0]["address"], 0x900000);
  EXPECT_EQ(json["frames"][json["blocks"][1]["stack"][1].get<size_t>()]["inlined"][0]["name"],
            "make_node(int)");
}

TEST(Golden, BlocksAreThoseOfTheQuestion) {
  ReportWords words;
  words.blocks = true;
  words.at = "40ms";
  words.filters = {"size<1k,function=parse"};
  words.top = 7;
  nlohmann::json json = json_of(TextTool().open(), words);
  EXPECT_EQ(json["figures"]["live_blocks"], 1000);
  EXPECT_EQ(json["figures"]["live_bytes"], 100'000);
  ASSERT_EQ(json["blocks"].size(), 7u);
  EXPECT_EQ(json["blocks"][0]["address"], 0x1000000);  // of equal ones, the oldest
  words.filters = {};
  words.at.clear();
  words.between = {"loaded", "70ms"};
  EXPECT_EQ(json_of(TextTool().open(), words)["figures"]["live_blocks"], 100);
  words.between.clear();
  words.at = "start";
  EXPECT_EQ(json_of(TextTool().open(), words)["figures"]["live_blocks"], 0);
}

TEST(ReportWords, AWrongWordIsAnsweredWithTheNearest) {
  EXPECT_NE(refusal_of(by("funtion")).find("did you mean 'function'?"), std::string::npos);
  ReportWords words;
  words.sort = "temporaries";
  EXPECT_NE(refusal_of(words).find("did you mean 'temporary'?"), std::string::npos);
  words = {};
  words.at = "pek";
  EXPECT_NE(refusal_of(words).find("did you mean 'peak'?"), std::string::npos);
  words.at = "laoded";
  EXPECT_NE(refusal_of(words).find("did you mean 'loaded'?"), std::string::npos);
  words = {};
  words.filters = {"sise>=1k"};
  EXPECT_NE(refusal_of(words).find("did you mean 'size'?"), std::string::npos);
  EXPECT_EQ(refusal_of(by("xyzzy-plugh")).find("did you mean"), std::string::npos);
}

TEST(ReportWords, OneViewAtATime) {
  ReportWords words = by("site");
  words.tree = true;
  EXPECT_NE(refusal_of(words).find("take one of"), std::string::npos);
  words = {};
  words.callers_of = "nobody";
  EXPECT_NE(refusal_of(words).find("nobody"), std::string::npos);
  words = {};
  words.between = {"55ms", "loaded"};
  EXPECT_NE(refusal_of(words).find("earlier moment first"), std::string::npos);
  words = {};
  words.where_rss = true;
  words.filters = {"size>=1k"};
  EXPECT_NE(refusal_of(words).find("takes no --filter"), std::string::npos);
}

}  // namespace
}  // namespace heapledger::cli::report
